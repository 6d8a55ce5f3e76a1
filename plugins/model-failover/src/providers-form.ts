import type { AgentBundle, BundleIssue, ModelConfig, ModelProvider } from '@amodal/sdk'

/**
 * `{ "provider": "failover", "providers": ["anthropic", "openai"] }` as a chain: each provider with
 * the model it takes where none is named. One that is not known is left out and named.
 */
export function withChain(
  bundle: AgentBundle,
  providers: ReadonlyMap<string, ModelProvider>,
): AgentBundle | undefined {
  const names = bundle.manifest.failover?.providers
  if (!names || bundle.manifest.models.main) return undefined
  const issues: BundleIssue[] = []
  const links = [...new Set(names)].flatMap((name): readonly ModelConfig[] => {
    const provider = providers.get(name)
    if (provider?.defaultModel !== undefined)
      return [{ provider: name, model: provider.defaultModel }]
    issues.push({
      severity: 'error',
      code: 'NO_MODEL',
      file: 'amodal.json',
      fix: 'write the chain as `models.main` with `fallback`, or remove it from `providers`',
      message: provider
        ? `\`providers\`: "${name}" has no model of its own to take`
        : `\`providers\`: there is no model provider "${name}"`,
    })
    return []
  })
  const main = links.reduceRight<ModelConfig | undefined>(
    (fallback, link) => ({ ...link, ...(fallback && { fallback }) }),
    undefined,
  )
  const { manifest } = bundle
  return {
    ...bundle,
    manifest: { ...manifest, models: { ...manifest.models, ...(main && { main }) } },
    issues: [...bundle.issues, ...issues],
  }
}
