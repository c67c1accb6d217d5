import { setTimeout as sleep } from 'node:timers/promises';
import { Fenced } from '../../clients/node/muster-checkpoint.ts';
import { Adam } from './adam.ts';
import { type Header, readOptimizer, readWeights, writeOptimizer, writeResult, writeWeights } from './checkpoint.ts';
import { Batches, dataPosition, type Digit, loadDigits, pixelCount, classCount } from './dataset.ts';
import { exits, Exit } from './exits.ts';
import { bytesOf, floatsOf, type Gang } from './gang.ts';
import { Network, weightsDigest } from './network.ts';
import type { Options } from './options.ts';
import { isUncommitted, type Publisher } from './publisher.ts';
import { partOf, sliceOf, slicesOf, treeSum } from './sum.ts';

/** What rank 0 says after a step, from what all ranks said with their gradients. */
interface Verdict {
  loss: number;
  stops: boolean;
  saves: boolean;
}

/** A stop that this rank has heard of. */
export interface StopOrder {
  reason: string;
  deadlineAtMs: number;
}

/** The checkpoint that was written last, on its way to its commit. `outcome` is undefined once committed. */
interface Publication {
  outcome: Promise<Error | undefined>;
  isOpen: boolean;
  cancel: AbortController;
}

const extraCount = 2; // the reduced vector ends with the loss and the number of ranks that were told to stop
const stopMarginMs = 1_000; // the answer to the last commit has to be here before SIGKILL
const verdictMarginMs = 10_000; // peers wait for rank 0's verdict a little longer than rank 0 for the commit

/** Data-parallel training of one rank, from its start or resume point to its end. */
export class Training {
  readonly #options: Options;
  readonly #gang: Gang;
  readonly #publisher: Publisher;
  readonly #network: Network;
  readonly #train: Digit[];
  readonly #heldOut: Digit[];
  readonly #batches: Batches;
  readonly #part: { from: number; to: number };
  readonly #adam: Adam;
  #weights: Float64Array;
  #step = 0;
  #resumedFrom: number[] = [];
  #stop: StopOrder | undefined;
  #publication: Publication | undefined;

  constructor(options: Options, gang: Gang, publisher: Publisher) {
    const { recipe, rank, worldSize } = options;
    this.#options = options;
    this.#gang = gang;
    this.#publisher = publisher;
    ({ train: this.#train, heldOut: this.#heldOut } = loadDigits());
    this.#network = new Network([pixelCount, ...recipe.hidden, classCount]);
    this.#weights = this.#network.initialWeights(recipe.seed);
    this.#batches = new Batches(this.#train.length, recipe.batchSize, recipe.seed);
    this.#part = partOf(this.#network.parameterCount, rank, worldSize);
    this.#adam = new Adam(this.#part.to - this.#part.from, recipe.learningRate);
  }

  /** The gang saves after the step that is under way, then ends. */
  stop(order: StopOrder): void {
    this.#stop = order;
  }

  /** @returns the exit code: 0 complete, 75 stopped after a committed save. @throws Exit with any other code */
  async run(): Promise<number> {
    await this.#resume();
    if (this.#step >= this.#options.steps) return this.#finish();
    for (;;) {
      const verdict = await this.#trainStep();
      const isLast = this.#step === this.#options.steps;
      this.#tell(verdict, isLast);
      if (verdict.saves) await this.#save(isLast);
      if (isLast) return this.#finish();
      if (verdict.stops) return this.#endStopped();
    }
  }

  /** All ranks go on from one step, which rank 0 names; its weights go to all, each reads its part of the optimizer. */
  async #resume(): Promise<void> {
    const point = this.#publisher.resumePoint();
    const { parameterCount } = this.#network;
    const saved = point && this.#gang.rank === 0 ? readWeights(point.dir, point.step, this.#options.recipe, parameterCount) : undefined;
    const header = parseHeader(await this.#gang.broadcast(0, Buffer.from(JSON.stringify(saved?.header ?? null))));
    if (!header) return;
    if (header.step !== point?.step) throw new Exit(exits.checkpointUnreadable, 'the ranks were given different checkpoints');
    this.#weights = floatsOf(await this.#gang.broadcast(header.step, saved && bytesOf(saved.weights)));
    readOptimizer(point.dir, header, this.#gang.rank, this.#gang.worldSize, parameterCount, this.#adam.state);
    this.#step = header.step;
    this.#resumedFrom = [...header.resumedFrom, header.step];
    this.#print(`resumed step=${String(this.#step)}`);
  }

  async #trainStep(): Promise<Verdict> {
    const startedAtMs = performance.now();
    const step = this.#step + 1;
    const sum = await this.#gang.reduce(step, this.#gradient());
    const [mine, verdict] = splitVerdict(await this.#gang.scatter(step, sum && this.#shareOut(sum, step)));
    this.#adam.update(this.#weights.subarray(this.#part.from, this.#part.to), mine, step);
    await this.#shareWeights(step);
    this.#step = step;
    if (this.#gang.rank === 0) await sleep(Math.max(0, startedAtMs + this.#options.stepMs - performance.now()));
    return verdict;
  }

  #gradient(): Float64Array {
    const { parameterCount } = this.#network;
    const batch = this.#batches.after(this.#step);
    const slices = slicesOf(this.#gang.rank, this.#gang.worldSize).map((slice) => {
      const gradient = new Float64Array(parameterCount + extraCount);
      for (const sample of sliceOf(batch, slice)) {
        gradient[parameterCount]! += this.#network.addGradient(this.#weights, this.#train[sample]!, gradient);
      }
      return gradient;
    });
    const vector = treeSum(slices);
    vector[parameterCount + 1] = this.#stop ? 1 : 0;
    return vector;
  }

  /** Rank 0: each rank's part of the mean gradient, followed by the verdict. */
  #shareOut(sum: Float64Array, step: number): Float64Array[] {
    const { parameterCount } = this.#network;
    const { batchSize } = this.#options.recipe;
    const loss = sum[parameterCount]! / batchSize;
    const stops = sum[parameterCount + 1]! > 0;
    const isDue = step % this.#options.checkpointEverySteps === 0 && !this.#publication?.isOpen;
    const saves = stops || isDue || step === this.#options.steps;
    return Array.from({ length: this.#gang.worldSize }, (_, rank) => {
      const { from, to } = partOf(parameterCount, rank, this.#gang.worldSize);
      const mean = sum.subarray(from, to).map((value) => value / batchSize);
      return Float64Array.of(...mean, loss, Number(stops), Number(saves));
    });
  }

  async #shareWeights(step: number): Promise<void> {
    const parts = await this.#gang.gather(step, this.#weights.slice(this.#part.from, this.#part.to));
    let from = 0;
    for (const part of parts ?? []) {
      this.#weights.set(part, from);
      from += part.length;
    }
    this.#weights.set(floatsOf(new Uint8Array(await this.#gang.broadcast(step, parts && bytesOf(this.#weights)))));
  }

  /** Writes this rank's shards; publishing goes on while the training does. */
  async #save(isLast: boolean): Promise<void> {
    const { rank, worldSize } = this.#gang;
    const step = this.#step;
    const files = [writeOptimizer(this.#publisher.dir, step, rank, worldSize, this.#adam.state)];
    if (rank === 0) {
      const header = { step, recipe: this.#options.recipe, worldSize, resumedFrom: this.#resumedFrom };
      files.push(writeWeights(this.#publisher.dir, header, this.#weights));
      if (isLast) files.push(writeResult(this.#publisher.dir, step, this.#result()));
    }
    await this.#gang.arrive(step);
    this.#publish(step, files);
  }

  #publish(step: number, files: readonly string[]): void {
    this.#publication?.cancel.abort(); // a newer checkpoint makes the older one's commit pointless
    const cancel = new AbortController();
    const publication: Publication = { outcome: this.#publishFiles(step, files, cancel.signal), isOpen: true, cancel };
    this.#publication = publication;
    void publication.outcome.then((error) => {
      publication.isOpen = false;
      if (error instanceof Fenced) return this.#end(exits.fenced, error.message);
      if (error && !isUncommitted(error)) return this.#end(exits.internal, String(error.stack));
      if (error) this.#print(`checkpoint step=${String(step)} not committed: ${error.message}`);
      else if (this.#gang.rank === 0) this.#print(`checkpoint step=${String(step)} committed`);
    });
  }

  async #publishFiles(step: number, files: readonly string[], signal: AbortSignal): Promise<Error | undefined> {
    const deadlineMs = performance.now() + this.#commitWaitMs();
    try {
      await this.#publisher.report(step, files, signal, deadlineMs);
      if (this.#gang.rank === 0) await this.#publisher.commit(this.#commitOf(step), signal, deadlineMs);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  #commitOf(step: number) {
    const { recipe } = this.#options;
    const layout = { format: 'muster-digits/1', worldSize: this.#gang.worldSize, parameterCount: this.#network.parameterCount, weights: 'rank 0', optimizer: 'by rank' };
    return { step, layout, dataPosition: { seed: recipe.seed, ...dataPosition(step, this.#train.length, recipe.batchSize) } };
  }

  #commitWaitMs(): number {
    const waitMs = this.#options.commitWaitMs;
    return this.#stop ? Math.max(0, Math.min(waitMs, this.#stop.deadlineAtMs - stopMarginMs - Date.now())) : waitMs;
  }

  /** The last commit's outcome is everybody's: no rank exits while it is open. */
  async #agreeOnCommit(): Promise<boolean> {
    const error = this.#gang.rank === 0 ? await this.#publication?.outcome : undefined;
    const outcome = Uint8Array.of(error ? 0 : 1);
    const isCommitted = (await this.#gang.broadcast(this.#step, outcome, this.#options.commitWaitMs + verdictMarginMs))[0] === 1;
    if (isCommitted) await this.#publication?.outcome;
    return isCommitted;
  }

  async #finish(): Promise<number> {
    if (!(await this.#agreeOnCommit())) throw new Exit(exits.notCommitted, 'the training is complete, but its last checkpoint is not committed');
    if (this.#gang.rank === 0) {
      const { steps, accuracy, digest } = this.#result();
      this.#print(`done steps=${String(steps)} accuracy=${accuracy.toFixed(4)} digest=${digest}`);
    }
    return exits.done;
  }

  async #endStopped(): Promise<number> {
    if (!(await this.#agreeOnCommit())) throw new Exit(exits.notCommitted, `stopped at step ${String(this.#step)}, which is not committed`);
    this.#print(`stopped step=${String(this.#step)} reason=${this.#stop?.reason ?? 'another rank was told to stop'}`);
    return exits.stopped;
  }

  #result() {
    const { steps, recipe } = this.#options;
    return {
      steps: Math.max(steps, this.#step),
      accuracy: this.#network.accuracy(this.#weights, this.#heldOut),
      digest: weightsDigest(this.#weights),
      resumedFrom: this.#resumedFrom,
      worldSize: this.#gang.worldSize,
      recipe,
      heldOutSamples: this.#heldOut.length,
    };
  }

  #tell({ loss }: Verdict, isLast: boolean): void {
    if (this.#gang.rank !== 0 || !(isLast || this.#step % this.#options.progressEverySteps === 0)) return;
    const { epoch } = dataPosition(this.#step, this.#train.length, this.#options.recipe.batchSize);
    this.#print(`step=${String(this.#step)}/${String(this.#options.steps)} epoch=${String(epoch)} loss=${loss.toFixed(6)}`);
    this.#publisher.progress(this.#step, this.#options.steps, `loss ${loss.toFixed(4)}`);
  }

  /** Ends this process and the gang from outside the loop, which may be waiting. */
  #end(exitCode: number, why: string): void {
    process.stderr.write(`digits: rank ${String(this.#gang.rank)}: ${why}\n`);
    void this.#gang.abort(exitCode).then(() => process.exit(exitCode));
  }

  #print(text: string): void {
    process.stdout.write(`digits: ${text}\n`);
  }
}

function splitVerdict(vector: Float64Array): [Float64Array, Verdict] {
  const end = vector.length - 3;
  return [vector.subarray(0, end), { loss: vector[end]!, stops: vector[end + 1] === 1, saves: vector[end + 2] === 1 }];
}

const parseHeader = (bytes: Uint8Array): Header | undefined => (JSON.parse(Buffer.from(bytes).toString()) as Header | null) ?? undefined;
