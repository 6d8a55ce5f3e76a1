import type { BundleIssue } from '@amodal/sdk'
import { expect, test } from 'vitest'
import type { FileSource } from '../src/tokens.ts'
import { folder, load, refused } from './support.ts'

const packages = { 'amodal.json': { name: 'test', packages: ['some-parts'] } }
const issue: BundleIssue = { severity: 'error', code: 'BAD_REPO', message: 'it is not whole' }
const note = { path: 'knowledge/more.md', text: '# More\n\nText.\n' }
const source = (blocked: readonly BundleIssue[]): FileSource => ({
  combine: ({ files }) => Promise.resolve({ files: [...files, note], issues: [], blocked }),
})

test('a folder that names packages does not load where nothing reads them', async () => {
  const dir = await folder(packages)
  const { issues, message } = await refused(dir)
  expect(message).toContain('amodal.json:3  `packages` names packages of parts')
  expect(issues).toMatchObject([{ file: 'amodal.json', line: 3, severity: 'error' }])
})

test('files of a source are read with those of the folder', async () => {
  const dir = await folder(packages)
  const { knowledge, hash } = await load(dir, { sources: () => [source([])] })
  expect(knowledge).toMatchObject([{ title: 'More' }])
  const other = await load(await folder({ 'amodal.json': { name: 'test' } }))
  expect(hash).not.toBe(other.hash)
})

test('what a source blocks does not load', async () => {
  const dir = await folder(packages)
  const { code, issues } = await refused(dir, { sources: () => [source([issue])] })
  expect([code, issues]).toEqual(['BAD_REPO', [issue]])
})
