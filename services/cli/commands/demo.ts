import type { Command } from 'commander';

export function registerDemo(program: Command): void {
  program.command('demo')
    .description('start the local stack, train a gang on it, kill a member and the worker role, and check the result bit for bit')
    .option('--keep', 'leave the stack up')
    .action(async (options: { keep?: true }) => {
      const { demo } = await import('#infra/demo/demo.ts');
      process.exitCode = await demo({ keep: options.keep ?? false });
    });
}
