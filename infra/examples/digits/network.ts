import { createHash } from 'node:crypto';
import type { Digit } from './dataset.ts';
import { randomStream } from './random.ts';

interface Layer {
  inputs: number;
  outputs: number;
  weightsFrom: number;
  biasesFrom: number;
}

/**
 * A multi-layer perceptron: ReLU between the layers, softmax with cross-entropy at the end. All parameters stand in
 * one vector of 64-bit floats, layer by layer, rows of weights first, then biases.
 */
export class Network {
  readonly parameterCount: number;
  readonly #layers: Layer[] = [];
  readonly #activations: Float64Array[];
  readonly #deltas: Float64Array[];

  /** @param sizes units of each layer, for instance [64, 32, 10] */
  constructor(sizes: readonly number[]) {
    let from = 0;
    for (let index = 1; index < sizes.length; index++) {
      const inputs = sizes[index - 1]!;
      const outputs = sizes[index]!;
      this.#layers.push({ inputs, outputs, weightsFrom: from, biasesFrom: from + inputs * outputs });
      from += (inputs + 1) * outputs;
    }
    this.parameterCount = from;
    this.#activations = sizes.map((size) => new Float64Array(size));
    this.#deltas = sizes.map((size) => new Float64Array(size));
  }

  /** Start weights by He's rule, uniform in ±√(6 / inputs); biases are 0. */
  initialWeights(seed: number): Float64Array {
    const weights = new Float64Array(this.parameterCount);
    for (const [index, { inputs, weightsFrom, biasesFrom }] of this.#layers.entries()) {
      const random = randomStream(seed, index);
      const limit = Math.sqrt(6 / inputs);
      for (let at = weightsFrom; at < biasesFrom; at++) weights[at] = (2 * random() - 1) * limit;
    }
    return weights;
  }

  /** Adds one sample's gradient to `gradient`. @returns the sample's cross-entropy */
  addGradient(weights: Float64Array, digit: Digit, gradient: Float64Array): number {
    const logits = this.#forward(weights, digit.pixels);
    const delta = this.#deltas.at(-1)!;
    const loss = softmaxDelta(logits, digit.label, delta);
    for (let index = this.#layers.length - 1; index >= 0; index--) this.#backward(index, weights, gradient);
    return loss;
  }

  /** Share of `digits` that are recognized, 0…1. */
  accuracy(weights: Float64Array, digits: readonly Digit[]): number {
    const right = digits.filter((digit) => indexOfMax(this.#forward(weights, digit.pixels)) === digit.label);
    return right.length / digits.length;
  }

  #forward(weights: Float64Array, pixels: Float64Array): Float64Array {
    this.#activations[0]!.set(pixels);
    for (const [index, { inputs, outputs, weightsFrom, biasesFrom }] of this.#layers.entries()) {
      const input = this.#activations[index]!;
      const output = this.#activations[index + 1]!;
      const isLast = index === this.#layers.length - 1;
      for (let row = 0; row < outputs; row++) {
        let sum = weights[biasesFrom + row]!;
        const rowFrom = weightsFrom + row * inputs;
        for (let column = 0; column < inputs; column++) sum += weights[rowFrom + column]! * input[column]!;
        output[row] = isLast || sum > 0 ? sum : 0;
      }
    }
    return this.#activations.at(-1)!;
  }

  #backward(index: number, weights: Float64Array, gradient: Float64Array): void {
    const { inputs, outputs, weightsFrom, biasesFrom } = this.#layers[index]!;
    const input = this.#activations[index]!;
    const delta = this.#deltas[index + 1]!;
    const inputDelta = this.#deltas[index]!.fill(0);
    for (let row = 0; row < outputs; row++) {
      const error = delta[row]!;
      const rowFrom = weightsFrom + row * inputs;
      gradient[biasesFrom + row]! += error;
      for (let column = 0; column < inputs; column++) {
        gradient[rowFrom + column]! += error * input[column]!;
        inputDelta[column]! += error * weights[rowFrom + column]!;
      }
    }
    for (let column = 0; column < inputs; column++) if (input[column] === 0) inputDelta[column] = 0;
  }
}

/** SHA-256 of the weights as little-endian 64-bit floats, hex. */
export function weightsDigest(weights: Float64Array): string {
  return createHash('sha256').update(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength)).digest('hex');
}

/** Writes softmax(logits) − target to `delta`. @returns the cross-entropy */
function softmaxDelta(logits: Float64Array, label: number, delta: Float64Array): number {
  const highest = logits[indexOfMax(logits)]!;
  let total = 0;
  for (let index = 0; index < logits.length; index++) total += delta[index] = Math.exp(logits[index]! - highest);
  for (let index = 0; index < logits.length; index++) delta[index]! /= total;
  delta[label]! -= 1;
  return Math.log(total) + highest - logits[label]!;
}

function indexOfMax(values: Float64Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index++) if (values[index]! > values[best]!) best = index;
  return best;
}
