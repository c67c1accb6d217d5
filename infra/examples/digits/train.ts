/** Data-parallel training on the hand-written digits of UCI: a whole job with nothing but Node 24. See README.md. */
import { endianness } from 'node:os';
import { Fenced } from '../../clients/node/muster-checkpoint.ts';
import { exits, Exit } from './exits.ts';
import type { Gang } from './gang.ts';
import { parseOptions } from './options.ts';
import { openPublisher } from './publisher.ts';
import { meet } from './rendezvous.ts';
import { type StopOrder, Training } from './training.ts';

let gang: Gang | undefined;
let training: Training | undefined;

main().then((exitCode) => process.exit(exitCode), end); // exits although the watch for stops is still open

async function main(): Promise<number> {
  if (endianness() !== 'LE') throw new Exit(exits.usage, 'needs a little-endian machine: files and digest hold little-endian floats');
  const options = parseOptions(process.argv.slice(2), process.env);
  const publisher = openPublisher(options, process.env);
  publisher.onStop((reason, deadlineAtMs) => stop({ reason, deadlineAtMs }));
  process.stdout.write(`digits: start rank=${String(options.rank)} world=${String(options.worldSize)} dir=${publisher.dir}\n`);
  gang = await meet(options);
  training = new Training(options, gang, publisher);
  const exitCode = await training.run();
  await gang.close();
  return exitCode;
}

/** Before the gang has met there is nothing to save. */
function stop(order: StopOrder): void {
  if (training) training.stop(order);
  else process.exit(exits.stopped);
}

async function end(error: unknown): Promise<void> {
  const isExpected = error instanceof Exit || error instanceof Fenced;
  const exitCode = isExpected ? error.exitCode : exits.internal;
  process.stderr.write(`digits: ${isExpected ? error.message : String((error as Error).stack)}\n`);
  await gang?.abort(exitCode);
  process.exit(exitCode);
}
