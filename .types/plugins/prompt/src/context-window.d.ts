import type { AgentBundle } from '@amodal/sdk';
/**
 * Tokens the main model takes: `models.main.contextWindow` of the manifest, else what is configured or known
 * for a model of that name, else `fallback`.
 */
export declare function contextWindow({ manifest: { models, raw } }: AgentBundle, configured: Readonly<Record<string, number>>, fallback: number): number;
