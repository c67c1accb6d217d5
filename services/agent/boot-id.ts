import { readFile } from 'node:fs/promises';
import { execa } from 'execa';

/**
 * The id of this boot of the machine: a new one proves that every process of an older boot is gone (P10).
 *
 * @param override  for virtual nodes that share a machine
 */
export async function readBootId(override: string | undefined): Promise<string> {
  if (override !== undefined && override !== '') return override;
  if (process.platform === 'darwin') {
    const { stdout } = await execa('sysctl', ['-n', 'kern.bootsessionuuid'], { timeout: 5_000 });
    return stdout.trim().toLowerCase();
  }
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
