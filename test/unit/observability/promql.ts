/** As much of PromQL as a check of our own expressions needs. */

/** What Temporal's core tells of a worker and we rely on; the scrape test looks for them in a real worker. */
export const coreMetrics = ['temporal_num_pollers'] as const;

/** Names of metrics in an expression. */
export function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}/g, '').replaceAll(/\[[^\]]*\]/g, '').replaceAll(/\b(by|on|without) \([^)]*\)/g, '');
  return [...bare.matchAll(/\b(up|(?:muster|nodejs|process|temporal)_[a-z0-9_]+)\b(?!\s*\()/g)].map((match) => match[1]!);
}

/** Labels that it selects or groups by. */
export function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap((match) => [...match[1]!.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map((label) => label[1]!));
  const grouped = [...expression.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g)].flatMap((match) => match[1]!.split(',').map((label) => label.trim()).filter(Boolean));
  return [...selected, ...grouped];
}
