import { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { Commands, silentLogger, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { BROKEN, WORKING, type WorkingRepo } from './second-layout-repos.ts'

/** A model that makes the call of the repo, and names stars for its sub-agent. */
const scriptOf =
  ({ calls }: WorkingRepo): Parameters<typeof openDoor>[0]['script'] =>
  ({ messages }) => {
    if (JSON.stringify(messages[0]).includes('You name stars.')) return reply.text('Vega')
    return messages.at(-1)?.role === 'tool' || !calls ? reply.text('done') : reply.toolCalls(calls)
  }

describe('a repo of the second layout', () => {
  test.each(WORKING.map((repo) => [repo.name, repo] as const))(
    'runs its tools, guards and triggers: %s',
    async (_name, repo) => {
      await using door = await openDoor({ files: repo.files, script: scriptOf(repo) })
      const { text } = await door.say(repo.says)
      const result = JSON.stringify(door.model.requests.at(-1)?.body.messages.at(-1) ?? {})
      expect(`${text}\n${result}`).toMatch(repo.expected)
      // It is none that loads empty.
      const printed: string[] = []
      const command = door.running.kernel.current().registry(Commands).get('validate')
      const print = (line: string): void => void printed.push(line)
      const code = await command?.run({
        dir: door.dir,
        options: { 'skip-test': true, json: true },
        arguments: [],
        env: {},
        log: silentLogger,
        signal: AbortSignal.timeout(60_000),
        print,
        write: print,
        fail: print,
        input: (async function* () {})(),
        start: () => Promise.reject(new Error('nothing is started to check files')),
      })
      const report = JSON.parse(printed.join('\n')) as JsonObject
      expect(report['issues']).toEqual([])
      expect(code).toBe(0)
      expect(report['agent']).toMatchObject({ folders: repo.counts })
    },
  )

  test.each(BROKEN.map((repo) => [repo.name, repo] as const))(
    'fails by name: %s',
    async (_name, { files, manifest = {}, starts, messages }) => {
      const opened = openDoor({ files, manifest, script: reply.text('hello') })
      if (!starts) {
        const problem = await opened.then(
          () => 'it started',
          (cause: unknown) => String(cause),
        )
        for (const part of messages) expect(problem).toContain(part)
        return
      }
      await using door = await opened
      const found = await door.running.kernel.scope
        .get(FolderCheck)
        .check(door.dir, AbortSignal.timeout(60_000))
      const problems = found.map(({ file, message }) => `${file ?? ''} ${message}`).join('\n')
      for (const part of messages) expect(problems).toContain(part)
    },
  )
})
