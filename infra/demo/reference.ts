/** The same training undisturbed, by one process outside of Muster: what the gang's weights must equal, bit for bit. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import type { JobSpec } from './spec.ts';

const timeoutMs = 120_000;

/** @returns SHA-256 of the final weights */
export async function referenceDigest(spec: JobSpec): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'muster-reference-'));
  try {
    const args = spec.argv.slice(1).filter((arg) => !arg.startsWith('--step-ms'));
    const { stdout } = await execa(process.execPath, args, {
      cwd: spec.workingDirectory ?? process.cwd(), timeout: timeoutMs, env: { MUSTER_CHECKPOINT_DIR: folder },
    });
    return digestIn(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param output  as the program printed it, or with the rank that Muster's log puts before each line
 * @throws Error where the training's last line isn't there
 */
export function digestIn(output: string): string {
  const digest = /^(?:\[\d+\] )?digits: done .*\bdigest=([0-9a-f]{64})\s*$/m.exec(output)?.[1];
  if (digest === undefined) throw new Error(`the training printed no digest; its last lines: ${output.slice(-500)}`);
  return digest;
}
