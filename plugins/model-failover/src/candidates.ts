import { createHash } from 'node:crypto'
import type { ModelConfig } from '@amodal/sdk'

/** A candidate for a call: a model with one credential. */
export interface Candidate {
  /** Of the credential and the model: what cools down together. */
  readonly key: string
  readonly profile: string
  readonly config: ModelConfig
}

/** Longer chains are cyclic or a mistake. */
const MOST = 32

/** A model with each of its credentials, then its fallback with each of its own, and so on. */
export function candidatesOf(wanted: ModelConfig): readonly Candidate[] {
  const found = new Map<string, Candidate>()
  for (
    let config: ModelConfig | undefined = wanted;
    config && found.size < MOST;
    config = config.fallback
  ) {
    const { profiles = [], fallback: _fallback, ...own }: ModelConfig = config
    add(found, 'default', own)
    // A key is not sent to another base URL than the one it is configured for.
    const { apiKey: _apiKey, headers: _headers, ...bare } = own
    for (const { name, ...account } of profiles)
      add(found, name, { ...(account.baseUrl === undefined ? own : bare), ...account })
  }
  return [...found.values()]
}

function add(found: Map<string, Candidate>, profile: string, config: ModelConfig): void {
  const key = keyOf(config)
  // Duplicates count once.
  if (!found.has(key)) found.set(key, { key, profile, config: Object.freeze(config) })
}

/** A hash, since a manifest may hold the credential itself. */
export function keyOf({
  provider,
  model,
  baseUrl = '',
  apiKey = '',
  headers = {},
}: ModelConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([provider, model, baseUrl, apiKey, Object.entries(headers).sort()]))
    .digest('base64url')
}

export const nameOf = ({ config: { provider, model }, profile }: Candidate): string =>
  `${provider}/${model}${profile === 'default' ? '' : ` (${profile})`}`
