/** The agent's own folder, for a model that looks for a way out of it. */
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isList, isObject, type JsonObject } from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { mainCalls, openLooking } from '../../loop/support/looking.ts'
import { textIn, write, type Door } from '../support/door.ts'

const BESIDE = ['env.txt', 'manifest.txt', 'other.txt', 'inner/secret.txt', 'linked.txt', 'linked/secret.txt', '../../.env', '../../amodal.json', '.env', '.git/config', 'photo.bin', 'huge.txt', 'id_rsa', 'credentials.json', 'keys/tls.pem', '/etc/hostname']

const results = (door: Door): readonly string[] => (mainCalls(door).at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(contentText)

test('files beside a skill are read and no others, and what is approved is written below knowledge/ and nowhere else', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'amodal-outside-'))
  onTestFinished(() => rm(outside, { recursive: true }))
  await writeFile(join(outside, 'secret.txt'), 'TOP SECRET')
  const door = await openLooking(() => reply.text('Hello.'), {
    files: {
      'skills/triage/SKILL.md': '---\nname: triage\ndescription: Sorts.\n---\n\nSort it.\n', 'skills/triage/limits.md': 'no more than five', 'knowledge/policy.md': '# Policy\n\nAsk first.\n',
      'skills/triage/photo.bin': 'TOP\0SECRET', 'skills/triage/huge.txt': 'TOP SECRET'.repeat(200_000),
      ...Object.fromEntries(['.env', '.git/config', 'id_rsa', 'credentials.json', 'keys/tls.pem'].map((name) => [`skills/triage/${name}`, 'TOP SECRET'])),
    },
  })
  await symlink(join(outside, 'secret.txt'), join(door.dir, 'skills/triage/linked.txt'))
  await symlink(outside, join(door.dir, 'skills/triage/linked'))
  for (const [name, target] of [['env.txt', '../../.env'], ['manifest.txt', '../../amodal.json'], ['other.txt', '../../other.txt'], ['inner', '../../inner']] as const) await symlink(target, join(door.dir, 'skills/triage', name))
  for (const path of ['.env', 'other.txt', 'inner/secret.txt']) await write(door.dir, { [path]: 'KEY="TOP SECRET"' })
  await symlink(join(outside, 'secret.txt'), join(door.dir, 'SOUL.md'))
  await symlink(outside, join(door.dir, 'knowledge/linked'))
  await door.restart()
  door.model.play(({ messages }) => (messages.at(-1)?.role === 'user' ? reply.toolCalls(['./limits.md', ...BESIDE].map((path) => ({ name: 'read_skill_file', arguments: { skill: 'triage', path } }))) : reply.text('so')))
  await door.say('Read them.')
  const [first, ...others] = results(door)
  expect(first).toBe('no more than five')
  expect(others).toHaveLength(BESIDE.length)
  for (const other of others) expect(other).toMatch(/the skill triage has no file .*; its files are: limits\.md$/)
  expect(JSON.stringify(door.model.requests)).not.toContain('TOP SECRET')

  const propose = async (name: string, body: string, scope: JsonObject = {}): Promise<string> => {
    door.model.play(({ messages }) => (messages.at(-1)?.role === 'user' ? reply.toolCalls({ name: 'propose_knowledge', arguments: { name, title: 'Policy', body, reasoning: 'Seen.' } }) : reply.text('so')))
    const asked = (await door.say('Propose it.', scope)).body
    const [ask] = isList(asked['pending_input']) ? asked['pending_input'] : []
    const pending = isObject(ask) ? ask : {}
    const before = door.model.requests.length
    expect((await door.answer({ session_id: textIn(asked, 'session_id'), id: textIn(pending, 'id'), approved: true, ...scope })).status).toBe(200)
    await expect.poll(() => door.model.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
    return `${textIn(isObject(pending['pending_input_context']) ? pending['pending_input_context'] : {}, 'reason')} | ${results(door).join('')}`
  }
  expect(await propose('linked/deep/er', 'Pay all.')).toContain('lies behind a link')
  expect(await readdir(outside)).toEqual(['secret.txt'])
  // What a tenant has approved would stand in the conversations of all the others.
  expect(await propose('policy', 'Pay all.', { scope_id: 'acme' })).toContain('what one tenant has approved')
  expect(await propose('policy', 'Ask twice.')).toMatch(/replaces the document "policy".* \| The document policy is known/)
  expect(await propose('policy', ' ')).toMatch(/removes the document "policy".* \| The document policy is removed/)
}, 60_000)
