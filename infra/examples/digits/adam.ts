const beta1 = 0.9;
const beta2 = 0.999;
const epsilon = 1e-8;

/** Adam (Kingma and Ba, 2015) over a part of the weights: each rank owns one part and its moments, as in ZeRO stage 1. */
export class Adam {
  /** First moments, then second moments: the state that a checkpoint has to keep. */
  readonly state: Float64Array;
  readonly #learningRate: number;
  readonly #count: number;

  constructor(count: number, learningRate: number) {
    this.#count = count;
    this.#learningRate = learningRate;
    this.state = new Float64Array(2 * count);
  }

  /** @param step number of this update, from 1 */
  update(weights: Float64Array, gradient: Float64Array, step: number): void {
    const first = this.state.subarray(0, this.#count);
    const second = this.state.subarray(this.#count);
    const firstScale = 1 / (1 - power(beta1, step));
    const secondScale = 1 / (1 - power(beta2, step));
    for (let index = 0; index < this.#count; index++) {
      const slope = gradient[index]!;
      const mean = beta1 * first[index]! + (1 - beta1) * slope;
      const square = beta2 * second[index]! + (1 - beta2) * slope * slope;
      first[index] = mean;
      second[index] = square;
      weights[index]! -= (this.#learningRate * mean * firstScale) / (Math.sqrt(square * secondScale) + epsilon);
    }
  }
}

/** base^exponent by squaring: `Math.pow` may differ in its last bit between engines, products don't. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let square = base, rest = exponent; rest > 0; square *= square, rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
  }
  return result;
}
