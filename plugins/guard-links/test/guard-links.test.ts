import { type JournalEntry, runId } from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { linkEntry } from '../src/entry.ts'
import { linkEvent } from '../src/event.ts'
import { guardLinks } from '../src/index.ts'
import { LinkStream } from '../src/link-stream.ts'

pluginContract(guardLinks, { config: { hosts: ['docs.example.com'] }, use: { trusted: true } })

const policy = { loads: () => false, knows: (host: string) => host === 'known.example' }
const TEXT = '[a](https://evil.example/?d=1) and [b](https://known.example/)'
const CLEAN = 'a (evil.example) and [b](https://known.example/)'

describe('links to hosts that nobody named', () => {
  test('are text in replies, whatever the pieces', () => {
    const stream = new LinkStream(policy)
    const parts = [...TEXT].flatMap((delta) => stream.push({ type: 'text-delta', id: 't', delta }))
    const text = [...parts, ...stream.flush()].map((part) => ('delta' in part ? part.delta : ''))
    expect(text.join('')).toBe(CLEAN)
  })

  test('are text in what is stored of a reply, and stay in what a person wrote', () => {
    const common = { v: 1, run: runId('run_1'), at: 1 }
    const reply = { ...common, kind: 'model_reply', text: TEXT, calls: [] }
    const message = { ...common, kind: 'user_message', text: TEXT }
    const [stored, written] = [reply, message].map((entry) =>
      linkEntry(entry as unknown as JournalEntry, policy),
    )
    expect(stored).toMatchObject({ text: CLEAN })
    expect(written).toBe(message)
  })

  test('are text in events, and pictures of tools are not loaded', () => {
    expect(linkEvent({ type: 'warning', message: TEXT }, policy)).toMatchObject({ message: CLEAN })
    const content = [{ type: 'image', data: 'https://evil.example/a', isUrl: true }]
    const event = { type: 'tool_call_result', content } as unknown as Parameters<
      typeof linkEvent
    >[0]
    expect(JSON.stringify(linkEvent(event, policy))).toContain('[image from evil.example removed]')
  })
})
