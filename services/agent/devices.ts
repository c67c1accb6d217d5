import { execa } from 'execa';
import type { DeviceFact } from '#services/fleet/model.ts';
import type { AgentSettings } from './settings.ts';

const query = ['--query-gpu=index,name,uuid,memory.total', '--format=csv,noheader,nounits'] as const;
/** a driver that is resetting a device answers late; one that hangs must not hold up the agent */
const timeoutMs = 15_000;
const virtualMemoryBytes = 80n * 1024n ** 3n;

/** The node's devices: those that nvidia-smi names, else the virtual ones that the settings declare. */
export async function readDevices(settings: Pick<AgentSettings, 'node' | 'virtualDevices' | 'virtualDeviceModel'>, program = 'nvidia-smi'): Promise<DeviceFact[]> {
  if (settings.virtualDevices > 0) return virtualDevices(settings);
  const result = await execa(program, query, { timeout: timeoutMs, reject: false, stdin: 'ignore', maxBuffer: 1_000_000 });
  return result.failed ? [] : parseDevices(result.stdout);
}

function virtualDevices({ node, virtualDevices: count, virtualDeviceModel: model }: Pick<AgentSettings, 'node' | 'virtualDevices' | 'virtualDeviceModel'>): DeviceFact[] {
  return Array.from({ length: count }, (_, index) => ({
    index, model, uuid: `virtual-${node}-${index}`, memoryBytes: String(virtualMemoryBytes), health: 'ok' as const,
  }));
}

/** Lines like `0, NVIDIA H100 80GB HBM3, GPU-5c9a…, 81559` (MiB). A device that doesn't say its memory is not usable. */
export function parseDevices(text: string): DeviceFact[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean).flatMap((line) => {
    const [index, name, uuid, memoryMib] = line.split(',').map((field) => field.trim());
    if (!index || !name || !uuid || !/^\d+$/.test(index)) return [];
    const isKnown = memoryMib !== undefined && /^\d+$/.test(memoryMib);
    return [{
      index: Number(index), model: modelName(name), uuid,
      memoryBytes: isKnown ? String(BigInt(memoryMib) * 1024n ** 2n) : '0',
      health: isKnown ? 'ok' as const : 'failed' as const,
    }];
  });
}

/** `NVIDIA H100 80GB HBM3` → `H100-80GB-HBM3`: a model's name in a job's spec has no spaces. */
const modelName = (name: string): string => name.replace(/^NVIDIA\s+/i, '').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 64);
