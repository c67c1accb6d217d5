/** Operations: actions that are over later than their request. */
export const operationKinds = ['job.cancel', 'node.drain'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** FAILED: its target went another way, `detail` says which. */
export const operationStates = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export type OperationState = (typeof operationStates)[number];
