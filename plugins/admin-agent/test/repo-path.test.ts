import { expect, test } from 'vitest'
import { carriesRights, readOwnPath, readPath } from '../src/repo/repo-path.ts'

test.each([
  ['skills/tone/SKILL.md', 'skills/tone/SKILL.md'],
  ['./knowledge/a b.md', 'knowledge/a b.md'],
  ['connections/', 'connections'],
  ['knowledge/über-uns.md', 'knowledge/über-uns.md'],
])('%s is a path', (text, path) => {
  expect(readPath(text)).toEqual({ ok: true, value: path })
})

test.each([
  'skills/../.env',
  '/skills/a.md',
  'src/index.ts',
  'skills/a\u202E.md',
  'tools/a/.npmrc',
])('%j is none', (text) => {
  expect(readPath(text)).toMatchObject({ ok: false, error: { code: 'ADMIN_PATH_REFUSED' } })
})

test('packages are read-only, and a folder is no file', () => {
  expect(readPath('amodal_packages/x/skills/a.md').ok).toBe(true)
  expect(readOwnPath('amodal_packages/x/skills/a.md').ok).toBe(false)
  expect(readOwnPath('skills').ok).toBe(false)
})

test.each([
  ['connections/desk/access.json', true],
  ['tools/quote/handler.ts', true],
  ['automations/digest.json', true],
  ['agents/helper/AGENT.md', true],
  ['skills/tone/SKILL.md', false],
  ['pages/board.tsx', false],
  ['stores/alerts.json', false],
])('whether %s carries rights: %s', (path, expected) => {
  expect(carriesRights(path)).toBe(expected)
})
