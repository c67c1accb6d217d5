/** Teams and API keys: names of their parts. */

/** Made by a migration; what a job belongs to that names none. */
export const defaultTeam = 'default';
export const defaultOrg = 'default';
export const defaultOrgId = 'org_00000000000000000000000000';

export const teamKey = (teamId: string): string => `team/${teamId}`;
