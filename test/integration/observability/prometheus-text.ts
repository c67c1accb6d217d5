/** Reads the text format of Prometheus, strictly: a line that is neither comment nor sample is an error. */
export interface Sample { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number }

export function parseMetrics(text: string): Sample[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a sample: ${line}`);
    return { name, labels: Object.fromEntries([...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map((match) => [match[1]!, match[2]!])), value: Number(value) };
  });
}
