import { defineConfig } from 'vitest/config';

const pure = ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts', 'test/replay/**/*.test.ts'];

export default defineConfig({
  test: {
    // Real parts share two cores: more files at once only makes every wait longer.
    maxWorkers: 2,
    pool: 'forks',
    // Real processes on two cores that others may share: a wait that ran out once is tried once more. The report marks it.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    globalSetup: ['test/setup/stack.ts'],
    include: [...pure, 'test/{integration,workflow,fault,e2e}/**/*.test.ts'],
  },
});
