import { describe, expect, it } from 'vitest';
import { cpuMilli, memoryBytes, seconds } from '#services/cli/spec-flags.ts';

describe('flags with units', () => {
  it.each([['1', '1'], ['512MiB', '536870912'], ['2 GiB', '2147483648'], ['1GB', '1000000000'], ['7B', '7'], ['999999TiB', '1099510528264372224']])('memory %s', (given, bytes) => {
    expect(memoryBytes(given)).toBe(bytes);
  });
  it.each(['', '-1', '1.5GiB', 'GiB', '1 PB', '1e9'])('memory %j is refused', (given) => { expect(() => memoryBytes(given)).toThrow('--memory'); });
  it.each([['1', 1_000], ['0.5', 500], ['2.25', 2_250], ['0.001', 1]])('cpu %s', (given, milli) => { expect(cpuMilli(given)).toBe(milli); });
  it.each(['', '-1', '1/2', '0.0001'])('cpu %j is refused', (given) => { expect(() => cpuMilli(given)).toThrow('--cpu'); });
  it.each([['90', 90], ['90s', 90], ['10m', 600], ['2h', 7_200], ['1d', 86_400]])('time %s', (given, expected) => { expect(seconds('--grace', given)).toBe(expected); });
  it.each(['', '1w', '-5', '1.5h'])('time %j is refused', (given) => { expect(() => seconds('--grace', given)).toThrow('--grace'); });
});
