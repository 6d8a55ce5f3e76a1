import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, load, secretsOf, told } from './support.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const secrets = secretsOf(
  Object.fromEntries(
    [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'GROQ_API_KEY',
      'GOOGLE_API_KEY',
      'STRIPE_API_KEY',
      'DATABASE_URL',
      'ANALYTICS_DB_URL',
      'GITHUB_TOKEN',
      'INTERNAL_TOOLS_TOKEN',
    ].map((name) => [name, `value-of-${name}`]),
  ),
)

describe('what the documentation shows', async () => {
  const manifests = await readdir(join(FIXTURES, 'manifests'))

  it.for(manifests)('loads the manifest %s', async (name) => {
    const text = await readFile(join(FIXTURES, 'manifests', name), 'utf8')
    const bundle = await load(await folder({ 'amodal.json': text }), { secrets })
    expect(bundle.manifest.raw).toEqual(JSON.parse(text))
    expect(JSON.stringify(bundle)).not.toContain('value-of-')
    expect(
      told(bundle.issues).filter(
        (line) =>
          !/`(proactive|adminAgent|connections|sandbox.template)` belongs to .* no part of this release/.test(
            line,
          ),
      ),
    ).toEqual([])
    if (name === 'failover-factory.json')
      expect(bundle.manifest.failover).toEqual({
        providers: ['anthropic', 'openai'],
        retries: 2,
        backoffMs: 1_000,
      })
  })

  it('loads the agent with its skills, knowledge, stores and agents', async () => {
    const bundle = await load(join(FIXTURES, 'documented-agent'))
    expect(bundle.issues).toEqual([])
    expect(bundle.skills.map(({ name }) => name).sort()).toEqual([
      'Deal Health Review',
      'Deployment Verification',
      'Incident Response',
      'Security Alert Triage',
      'incident-coordination',
    ])
    expect(bundle.knowledge.map(({ name, title }) => [name, title])).toEqual([
      ['baselines', 'Service Baselines'],
      ['environment', 'Production Environment'],
      ['patterns', 'Known Patterns'],
      ['traffic', 'Normal Traffic Patterns'],
    ])
    expect(bundle.stores.map(({ name }) => name)).toEqual(['active-alerts'])
    expect(bundle.files.map(({ path }) => path)).toEqual([
      'agents/compliance-checker/AGENT.md',
      'agents/vendor-lookup/AGENT.md',
    ])
  })

  it('keeps what the store says', async () => {
    const [store] = (await load(join(FIXTURES, 'documented-agent'))).stores
    expect(store).toMatchObject({
      entity: { name: 'ClassifiedAlert', key: '{event_id}' },
      ttl: 86_400,
      failure: { mode: 'partial' },
      history: { versions: 3 },
      file: 'stores/active-alerts.json',
    })
    expect(store?.entity.schema['confidence']).toEqual({ type: 'number', min: 0, max: 1 })
    expect(store?.entity.schema['metadata']?.fields?.['tags']).toEqual({
      type: 'array',
      item: { type: 'string' },
    })
    expect(store?.raw['ttl_conditional']).toEqual({
      default: 86_400,
      override: [{ condition: "severity IN ['P1', 'P2']", ttl: 300 }],
    })
  })

  it('takes both forms of a skill apart', async () => {
    const { skills } = await load(join(FIXTURES, 'documented-agent'))
    const heading = skills.find(({ name }) => name === 'Incident Response')
    expect(heading).toMatchObject({
      description: 'Gather context, assess impact, and coordinate response for active incidents.',
      trigger: 'When the user reports an outage, service degradation, or active incident.',
    })
    expect(heading?.body).toMatch(
      /^## Behavior\n\n1\. Identify[^]*## Constraints[^]*without evidence$/,
    )
    expect(skills.find(({ name }) => name === 'incident-coordination')).toEqual({
      name: 'incident-coordination',
      description: 'Gather context, assess impact, coordinate response',
      trigger: 'When the user reports an outage or active incident',
      body: '## Methodology\n\n...body content...',
      file: 'skills/general.md',
    })
  })
})

describe('the example agent', () => {
  it('loads without a remark, and its stores begin with documents', async () => {
    const bundle = await load(join(import.meta.dirname, '../../../examples/ops-agent'))
    expect(bundle.issues).toEqual([])
    expect(bundle.manifest).toMatchObject({ name: 'ops-agent', models: {} })
    expect(bundle.skills.map(({ name }) => name)).toEqual(['Incident Triage', 'Shift Handover'])
    expect(bundle.knowledge).toHaveLength(3)
    expect(bundle.instructions?.body).toContain('query the stores first')
    expect(bundle.stores.map(({ name, seed }) => [name, seed?.length])).toEqual([
      ['incidents', 12],
      ['services', 8],
    ])
    const services = new Set(
      bundle.stores.find(({ name }) => name === 'services')?.seed?.map(({ name }) => name),
    )
    for (const { service } of bundle.stores.find(({ name }) => name === 'incidents')?.seed ?? [])
      expect(services).toContain(service)
  })
})
