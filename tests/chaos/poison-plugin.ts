import { definePlugin } from '@amodal/sdk'

/**
 * Where a poisonous message strikes: `start`, before anything of it is written; `model`, with the
 * second model call of its run.
 */
const POISON = /"marker":"poison-(start|model)-(kill|block)/

/**
 * ms for which a message blocks the event loop: so much longer than the lease of the servers that
 * it meets that another one takes it over on a busy machine, too. If none did, it would just go on.
 */
const BLOCK_MS = 8_000

/** Messages that bring their process down, or to a standstill. */
export const poison = definePlugin({
  name: 'poison',
  version: '0.0.0',
  setup({ hooks }) {
    hooks.run.start.tap(({ text }) => {
      strike('start', text)
    })
    hooks.model.call.tap((_call, { messages }) => {
      if (messages.some(({ role }) => role === 'tool'))
        strike('model', JSON.stringify(messages).replaceAll('\\"', '"'))
    })
  },
})

function strike(place: string, text: string): void {
  const [, where, how] = POISON.exec(text) ?? []
  if (where !== place) return
  if (how === 'kill') process.kill(process.pid, 'SIGKILL')
  const until = performance.now() + BLOCK_MS
  while (performance.now() < until) {
    /* nothing else can run */
  }
}

export default poison
