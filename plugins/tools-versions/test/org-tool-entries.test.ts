import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineBundle, type AgentBundle, type BundleIssue, type JsonObject } from '@amodal/sdk'
import { issueLine } from '@amodal/sdk/files'
import { expect, onTestFinished, test } from 'vitest'
import { checkWhen, orgToolsOf, readOrgTools } from '../src/conversation/org-tool-entries.ts'

async function read(text: string): Promise<{
  readonly bundle: AgentBundle
  readonly lines: readonly string[]
}> {
  const root = await mkdtemp(join(tmpdir(), 'amodal-entries-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await writeFile(join(root, 'amodal.json'), text)
  const { manifest, ...rest } = defineBundle({ name: 'helper' })
  const raw = JSON.parse(text) as JsonObject
  const given = { ...rest, root, manifest: { ...manifest, raw } }
  const bundle = (await readOrgTools(given)) ?? given
  const issues: BundleIssue[] = [...bundle.issues]
  await checkWhen(bundle, issues)
  return { bundle, lines: issues.map(issueLine) }
}

test('an entry gets its defaults, and one value of `when` is a list of one', async () => {
  const { bundle, lines } = await read(
    '{ "name": "a", "orgTools": [{ "tool": "check_order" }, { "tool": "refund", "version": "^1.2", "confirm": "review" }] }',
  )
  expect(lines).toEqual([])
  expect(orgToolsOf(bundle)).toEqual([
    {
      tool: 'check_order',
      version: '*',
      resultPersistence: 'persisted-preferred',
      confirm: false,
      readOnly: false,
      when: {},
    },
    expect.objectContaining({ tool: 'refund', version: '^1.2', confirm: 'review' }),
  ])
})

test('what is wrong is named with its line, and the other entries count', async () => {
  const { bundle, lines } = await read(`{
  "name": "a",
  "orgTools": [
    { "tool": "fine" },
    { "tool": "Not a name" },
    { "tool": "bad_version", "version": "newest" },
    { "tool": "fine" },
    { "tool": "unknown_field", "aproval": true },
    { "tool": "in_state",
      "when": { "phase": "asking" } }
  ]
}`)
  expect(lines).toEqual([
    expect.stringMatching(/^amodal\.json:5 {2}`orgTools\[1\]\.tool` is no name of a tool/),
    expect.stringMatching(/^amodal\.json:6 {2}`orgTools\[2\]\.version`: "newest" is no version/),
    expect.stringMatching(/^amodal\.json:7 {2}`orgTools` has "fine" already/),
    expect.stringMatching(/^amodal\.json:8 {2}.*aproval/),
    expect.stringMatching(
      /^amodal\.json:10 {2}`orgTools\[5\]\.when`: the agent has no state "phase"/,
    ),
  ])
  expect(orgToolsOf(bundle).map(({ tool }) => tool)).toEqual(['fine', 'in_state'])
})

test('a list that is none is named', async () => {
  const { lines } = await read('{ "name": "a", "orgTools": "check_order" }')
  expect(lines).toEqual([expect.stringContaining('`orgTools`')])
})
