import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken } from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'

const STEPS = [
  { name: 'bash', arguments: { command: 'bash check.sh' } },
  { name: 'read', arguments: { path: 'total.awk' } },
  {
    name: 'edit',
    arguments: { path: 'total.awk', old_string: 'sum += $2 }', new_string: 'sum += $2 * $3 }' },
  },
  { name: 'bash', arguments: { command: 'bash check.sh' } },
]

test('repairs the project, shows what it changed, and takes it back', async () => {
  const results: string[] = []
  const model = await startModelServer({
    script: ({ messages }) => {
      const done = messages.filter(({ role }) => role === 'tool')
      results.splice(0, results.length, ...done.map(({ content }) => JSON.stringify(content)))
      const step = STEPS[done.length]
      return step ? reply.toolCalls(step) : reply.text('The sum left the quantity out.')
    },
  })
  const dir = await mkdtemp(join(tmpdir(), 'amodal-coding-'))
  await cp(join(import.meta.dirname, '../agent'), dir, {
    recursive: true,
    filter: (path) => !path.endsWith('.amodal'),
  })
  const env = {
    AMODAL_BASE_URL: model.url,
    AMODAL_MODEL: 'scripted',
    PATH: process.env['PATH'] ?? '',
  }
  const started = await startFolder({ dir, env, port: 0, logLevel: 'error' })
  if (!started.ok) throw new Error(explainStart(started.error))
  const { kernel, close } = started.value
  const address = kernel.scope.get(HttpApp).address()
  const url = `http://${address?.host}:${address?.port}`
  const headers = {
    authorization: `Bearer ${kernel.scope.get(LocalToken).text() ?? ''}`,
    'content-type': 'application/json',
  }
  try {
    const turn = await fetch(`${url}/chat/sync`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ message: 'Repair the project.' }),
    })
    const answer = (await turn.json()) as { readonly session_id: string }
    expect(turn.status, JSON.stringify(answer)).toBe(200)
    expect(results[0]).toContain('expected 90, got 57')
    expect(results[3]).toContain('ok')

    const workspace = `${url}/sessions/${answer.session_id}/workspace`
    const diff = (await (await fetch(`${workspace}/diff`, { headers })).json()) as {
      readonly patch: string
    }
    expect(diff.patch).toContain('-NR > 1 { sum += $2 }')
    expect(diff.patch).toContain('+NR > 1 { sum += $2 * $3 }')
    const own = await readFile(join(dir, 'project/total.awk'), 'utf8')
    expect(own).toContain('sum += $2 }')

    const undone = await fetch(`${workspace}/undo`, { method: 'POST', headers, body: '{}' })
    expect(undone.status).toBe(200)
    const file = await fetch(`${workspace}/files/total.awk`, { headers })
    expect(await file.text()).toContain('sum += $2 }')
  } finally {
    await close('test')
    await model.close()
    await rm(dir, { recursive: true, force: true })
  }
})
