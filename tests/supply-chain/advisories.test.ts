import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { validRange } from 'semver'
import { expect, test } from 'vitest'
import known from './advisories.json' with { type: 'json' }
import { lockedIn, weaknesses } from './advisories.ts'

const root = join(import.meta.dirname, '../..')

test('no package of the lock is known to be weak', async () => {
  const locked = lockedIn(await readFile(join(root, 'pnpm-lock.yaml'), 'utf8'))
  expect(locked.length).toBeGreaterThan(400)
  expect(weaknesses(locked, known)).toEqual([])
})

test('one that is weak is named', () => {
  const lock =
    "lockfileVersion: '9.0'\n\npackages:\n\n  braces@3.0.2:\n    resolution: {integrity: x}\n\n  '@eslint/plugin-kit@0.3.3':\n    resolution: {integrity: x}\n\n  braces@3.0.3:\n    resolution: {integrity: x}\n\nsnapshots:\n\n  hono@4.0.0: {}\n"
  expect(weaknesses(lockedIn(lock), known)).toEqual([
    expect.stringMatching(/^braces@3\.0\.2: .*GHSA-grv7-fg5c-xmjg/),
    expect.stringMatching(/^@eslint\/plugin-kit@0\.3\.3: .*GHSA-xffm-g5w8-qvg7/),
  ])
})

test('the list can be read', () => {
  expect(
    known.filter(
      ({ id, vulnerable }) =>
        !/^GHSA(?:-[0-9a-z]{4}){3}$/.test(id) || validRange(vulnerable) === null,
    ),
  ).toEqual([])
  expect(new Set(known.map(({ id }) => id)).size).toBe(known.length)
})
