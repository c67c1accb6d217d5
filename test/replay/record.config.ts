/** `npx vitest run --config test/replay/record.config.ts` records the replay corpus anew. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000, globalSetup: ['test/setup/stack.ts'], include: ['test/replay/record.ts'] },
});
