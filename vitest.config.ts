import { defineConfig } from 'vitest/config';

const pure = ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts', 'test/replay/**/*.test.ts'];

export default defineConfig({
  test: {
    // Real parts share two cores: more files at once only makes every wait longer.
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    reporters: process.env['CI'] ? ['default'] : ['default'],
    globalSetup: ['test/setup/stack.ts'],
    include: [...pure, 'test/{integration,workflow,fault,e2e}/**/*.test.ts'],
  },
});
