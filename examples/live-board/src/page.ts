import { ClientError, createClient, type LiveState } from '@amodal/sdk/client'
import type { JsonObject } from '@amodal/sdk'

interface Card extends JsonObject {
  readonly id: number
  readonly text: string
  readonly done: boolean
}

/** An element of the page, which has all that are named here. */
function element<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`)
  return found
}
const main = element('board', HTMLElement)
const title = element('title', HTMLInputElement)
const list = element('cards', HTMLUListElement)
const made = element('made', HTMLOutputElement)
const form = element('say', HTMLFormElement)
const message = element('message', HTMLInputElement)
const reply = element('reply', HTMLParagraphElement)
const notice = element('notice', HTMLParagraphElement)

/** `#token=…&board=…`: nothing behind the `#` is sent to a server. */
const place = new URLSearchParams(location.hash.slice(1))
const credential = place.get('token') ?? ''
const client = createClient({ url: location.origin, credential, tries: 1_000_000 })

/** The board of the address, or a new one, which the address names from now on. */
async function boardOf(): Promise<string> {
  const known = place.get('board')
  if (known !== null) return known
  const response = await fetch('/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
    body: JSON.stringify({ tags: ['board'] }),
  })
  const { id } = (await response.json()) as { readonly id: string } // the server's contract
  place.set('board', id)
  history.replaceState(null, '', `#${place.toString()}`)
  return id
}

const board = await boardOf()
let now: LiveState | undefined

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Changes what is on the page to what is in the state. */
function show({ version, state }: LiveState): void {
  main.dataset['version'] = version
  if (document.activeElement !== title) title.value = textOf(state['title'])
  made.value = textOf(state['made'])
  const cards = state['cards'] as readonly Card[] // as amodal.json declares it
  list.replaceChildren(
    ...cards.map((card) => {
      const box = Object.assign(document.createElement('input'), {
        type: 'checkbox',
        checked: card.done,
      })
      box.addEventListener('change', () => {
        const others = cards.map((one) =>
          one.id === card.id ? { ...one, done: box.checked } : one,
        )
        void change({ cards: others })
      })
      const label = document.createElement('label')
      label.append(box, ` ${card.text}`)
      const item = document.createElement('li')
      item.append(label)
      return item
    }),
  )
}

/** Changes the state that is shown: where it is not that any more, nothing is changed. */
async function change(fields: JsonObject): Promise<void> {
  if (!now) return
  notice.textContent = ''
  try {
    await client.changeState(board, fields, now.version)
  } catch (cause) {
    const isLate = cause instanceof ClientError && cause.code === 'STATE_CONFLICT'
    notice.textContent = isLate ? 'Somebody was faster: this is how it is now.' : String(cause)
    show(now)
  }
}

title.addEventListener('change', () => void change({ title: title.value }))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void say(message.value)
  message.value = ''
})

/** Turns that this page has seen to their end. */
let turns = 0

/** Sends a message, and shows what becomes of it. */
async function say(text: string): Promise<void> {
  reply.textContent = ''
  try {
    for await (const event of client.send({ text, session: board })) {
      if (event.type === 'text_delta') reply.textContent += event.content
      if (event.type === 'tool_call_start') notice.textContent = event.running_label ?? ''
      if (event.type === 'error') notice.textContent = event.message
      if (event.type === 'done' && event.reason === 'model_stop') notice.textContent = ''
    }
  } catch (cause) {
    notice.textContent = String(cause)
  }
  main.dataset['turns'] = String(++turns)
}

for await (const state of client.followState(board)) {
  now = state
  show(state)
}
