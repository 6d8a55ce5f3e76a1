import { expect, test } from 'vitest'
import { ChildEvents } from '../src/child-events.ts'

test('a sub-agent whose run was set aside has not ended: its parent waits for what a person decides', () => {
  const events = new ChildEvents('call', 'scout')
  events.accept({ type: 'error', code: 'RUN_SET_ASIDE', message: 'it stopped its server 3 times' })
  events.accept({ type: 'done', reason: 'error' })
  expect(events.done).toBeUndefined()
  // It was continued, and its stream is read from the beginning.
  const continued = new ChildEvents('call', 'scout')
  continued.accept({ type: 'text_delta', content: 'Found it.' })
  continued.accept({ type: 'done', reason: 'model_stop' })
  expect(continued.done).toMatchObject({ reason: 'model_stop' })
  expect(continued.text).toBe('Found it.')
})
