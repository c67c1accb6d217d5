import { Command } from 'commander';
import { registerStackCommands } from '#infra/stack/commands.ts';

const program = new Command('muster').description('control plane for GPU fleets');
registerStackCommands(program);
await program.parseAsync();
