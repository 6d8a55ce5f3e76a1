/** What commands cannot do, whichever shell runs them. */
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { reply, type ScriptedToolCall } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

const QUOTA = { bytes: 4_000_000, files: 200, seconds: 8 }
const CANARY = 'canary-of-the-machine'

interface Shell {
  readonly door: Door
  /** Of the person, outside of the workspace. */
  readonly outside: string
  /** Runs these one after the other, in one message. @returns what the model was given */
  run(...calls: readonly (string | ScriptedToolCall)[]): Promise<readonly string[]>
  session(): string
}

async function open(level: string): Promise<Shell> {
  const door = await openDoor({
    manifest: { workspace: { source: 'start', bash: level, quota: QUOTA } },
    files: { 'start/hello.txt': 'hello\n' },
    env: { PATH: process.env['PATH'] ?? '', SHOP_TOKEN: CANARY },
    script: () => reply.text('done'),
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const outside = join(door.dir, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), CANARY)
  let session: string | undefined
  return {
    door,
    outside,
    session: () => session ?? '',
    async run(...calls) {
      let next = 0
      door.model.play(() => {
        const call = calls[next]
        next += 1
        if (call === undefined) return reply.text('done')
        const one = typeof call === 'string' ? { name: 'bash', arguments: { command: call } } : call
        return reply.toolCalls([{ id: `call_${next}`, ...one }])
      })
      const events = await door.stream('go', session === undefined ? {} : { session_id: session })
      session ??= events.map((event) => textIn(event, 'session_id')).find(Boolean)
      return events
        .filter(({ type }) => type === 'tool_call_result')
        .map((event) => textIn(event, 'result') || textIn(event, 'error'))
    },
  }
}

const processesWith = async (marker: string): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => line.includes(marker)).length
}

const hasNamespaces =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true'], { stdio: 'ignore' })
    .status === 0

describe.each([...(hasNamespaces ? ['process'] : []), 'virtual'])(
  'a shell of level %s',
  (level) => {
    test('works on the files that the other tools see', async () => {
      const { run } = await open(level)
      const results = await run(
        'cat hello.txt && mkdir -p a/b && echo new > a/b/new.txt && mv hello.txt moved.txt && chmod 755 moved.txt',
        { name: 'read', arguments: { path: 'a/b/new.txt' } },
        { name: 'find', arguments: { pattern: '**/*.txt' } },
        'rm -r a && ln -s moved.txt link && ls -F && cat link; exit 3',
      )
      expect(results[0]).toBe('exit code 0\nhello\n')
      expect(results[1]).toContain('1\tnew')
      expect(results[2]).toContain('a/b/new.txt')
      expect(results[2]).toContain('moved.txt')
      expect(results[2]).not.toContain('hello.txt')
      expect(results[3]).toMatch(/^exit code 3\n/)
      expect(results[3]).toContain('moved.txt')
      expect(results[3]).toContain('hello')
      expect(results[3]).not.toContain('a/')
    })

    test('reads and changes nothing outside, and reaches no network', async () => {
      const { door, outside, run } = await open(level)
      const before = await readdir(door.dir, { recursive: true })
      const results = await run(
        `cat ${outside}/secret.txt; cat ../../../outside/secret.txt; cat /proc/self/environ; env`,
        `echo x > ${outside}/written; echo x > ../written; rm -rf ${outside} .. /work 2>&1 | tail -1; true`,
        `ln -s ${outside} out; cat out/secret.txt; echo x > out/written; ln ${outside}/secret.txt hard`,
        { name: 'read', arguments: { path: 'out/secret.txt' } },
        { name: 'write', arguments: { path: 'out/written', content: 'x' } },
        `exec 3<>/dev/tcp/127.0.0.1/${new URL(door.url).port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3; curl -s ${door.url}`,
        'mknod device b 8 0; mkfifo pipe; chmod 4755 hello.txt; true',
        { name: 'read', arguments: { path: 'pipe' } },
        'rm -rf * .*; echo alive > hello.txt; cat hello.txt',
      )
      expect(results.join('\n')).not.toContain(CANARY)
      expect(results[5]).not.toContain('HTTP/1')
      expect(results.at(-1)).toContain('alive')
      expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(CANARY)
      expect(await readdir(outside)).toEqual(['secret.txt'])
      const isOutside = (path: string): boolean => !path.startsWith('.amodal')
      const after = await readdir(door.dir, { recursive: true })
      expect(after.filter(isOutside)).toEqual(before.filter(isOutside))
    })

    test('is ended where it fills the disk or does not end, and leaves the files as they were', async () => {
      const { run, session, door } = await open(level)
      const marker = `marker-${process.pid}-${level}`
      const results = await run(
        'i=0; while [ $i -lt 60 ]; do printf "%0500000d" 0 > big$i; i=$((i+1)); done; echo filled',
        'i=0; while [ $i -lt 1000 ]; do echo x > small$i; i=$((i+1)); done; echo filled',
        `while true; do : ${marker}; done`,
        `(sleep 600; echo ${marker}) & sleep 600 & echo started`,
        'cat hello.txt; ls',
      )
      expect(results[0]).not.toMatch(/^exit code 0/)
      expect(results[1]).not.toMatch(/^exit code 0/)
      expect(results[2]).not.toMatch(/^exit code 0/)
      expect(results[4]).toBe('exit code 0\nhello\nhello.txt\n')
      await expect.poll(() => processesWith(marker)).toBe(0)
      const view = await door.get(`/sessions/${session()}/workspace`, {
        authorization: `Bearer ${door.token}`,
      })
      const files = view.body['files'] as readonly JsonObject[]
      expect(files.map(({ path }) => path)).toEqual(['hello.txt'])
    })

    test('the server runs nothing that a repository of git in the workspace says', async () => {
      const { run, session, door } = await open(level)
      const evil = join(door.dir, 'evil')
      const config = `[core]\n\tfsmonitor = touch ${evil}\n\thooksPath = hooks\n\tpager = touch ${evil}\n[diff]\n\texternal = touch ${evil}\n[alias]\n\tstatus = !touch ${evil}\n`
      await run(
        { name: 'write', arguments: { path: '.git/config', content: config } },
        { name: 'write', arguments: { path: '.git/HEAD', content: 'ref: refs/heads/main\n' } },
        {
          name: 'write',
          arguments: { path: '.gitattributes', content: '* diff=evil filter=evil\n' },
        },
        'mkdir -p .git/objects .git/refs hooks; printf "#!/bin/sh\\ntouch %s\\n" evil > hooks/post-checkout; chmod 755 hooks/post-checkout',
        { name: 'edit', arguments: { path: 'hello.txt', old_string: 'hello', new_string: 'bye' } },
        { name: 'grep', arguments: { pattern: 'touch' } },
      )
      const headers = { authorization: `Bearer ${door.token}` }
      const diff = await door.get(`/sessions/${session()}/workspace/diff`, headers)
      expect(diff.text).toContain('+bye')
      const undone = await door.post(`/sessions/${session()}/workspace/undo`, {})
      expect(undone.status, undone.text).toBe(200)
      expect(await readdir(door.dir)).not.toContain('evil')
      expect((await run('cat hello.txt; ls -a'))[0]).not.toContain('evil')
    })
  },
)

test.skipIf(!hasNamespaces)(
  'a fork bomb ends with its command, and the next one runs',
  async () => {
    const { run } = await open('process')
    const bomb = `bomb_${process.pid}`
    const results = await run(
      `${bomb}() { ${bomb} | ${bomb} & }; ${bomb}; sleep 600`,
      'cat hello.txt',
    )
    expect(results[0]).not.toMatch(/^exit code 0/)
    expect(results[1]).toBe('exit code 0\nhello\n')
    await expect.poll(() => processesWith(bomb)).toBe(0)
  },
)
