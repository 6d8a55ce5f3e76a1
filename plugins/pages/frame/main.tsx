import { onReactError } from './react-errors.ts'
import * as jsx from 'react/jsx-runtime'
import * as dom from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { HostMessage } from '../src/protocol.ts'
import { fetchDocuments } from './fetch.ts'
import * as hooks from './hooks.ts'
import { LivePage, loaded, pageReact } from './live-page.tsx'
import { isLate, lateError } from './loop-limit.ts'
import { port } from './port.ts'
import { theme } from './theme.ts'

/** Errors of one page that are reported; a page that fails in a loop fails with these. */
const MOST_REPORTS = 20
let reports = 0

const report = (cause: unknown, isFatal: boolean): void => {
  if (++reports > MOST_REPORTS) return
  const error = cause instanceof Error ? cause : new Error(String(cause))
  port.send({
    op: 'failed',
    message: `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`,
    stack: error.stack ?? '',
    fatal: isFatal,
  })
}

/** Runs the script of a page. It hands itself over with `__amodal.page`. */
function load({ name, hash, shape, code, params }: HostMessage & { readonly op: 'load' }): void {
  reports = 0
  for (const style of document.querySelectorAll('style[data-page]')) style.remove()
  const begun = loaded.begin(shape, params)
  const source = `${code}\n//# sourceURL=pages-bundle/${name}-${hash}.js`
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const script = document.createElement('script')
  script.src = address
  const done = (): void => {
    URL.revokeObjectURL(address)
    script.remove()
    if (!loaded.finish(begun, hash)) report(new Error('the page did not load'), true)
  }
  script.onload = done
  script.onerror = done
  document.head.append(script)
}

const provided = {
  react: pageReact,
  jsx,
  dom,
  hooks,
  isLate,
  lateError,
  page: (module: { readonly default?: unknown }) => loaded.receive(module.default),
  style: (text: string) => {
    const style = document.createElement('style')
    style.dataset['page'] = ''
    style.textContent = text
    document.head.append(style)
  },
}
Object.assign(globalThis, { React: pageReact, __amodal: provided, fetch: fetchDocuments })

function received(message: HostMessage): void {
  switch (message.op) {
    case 'load':
      return load(message)
    case 'theme':
      return theme.set(message.theme)
    case 'ping':
      return port.send({ op: 'alive' })
    case 'reply':
    case 'changed':
      return undefined // the port's own
    default:
      return message satisfies never
  }
}

/** A link to a page or to anywhere else is the window's to follow. */
function clicked(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  const href = link?.getAttribute('href')
  if (href === null || href === undefined || href.startsWith('#') || event.defaultPrevented) return
  event.preventDefault()
  port.send({ op: 'open', href })
}

onReactError((cause) => report(cause, false))
addEventListener('error', ({ error, message }) => report(error ?? message, false))
addEventListener('unhandledrejection', ({ reason }) => report(reason, false))
addEventListener('click', clicked)
addEventListener('message', function connect(event: MessageEvent<unknown>) {
  const [channel] = event.ports
  if (event.source !== parent || !channel) return
  removeEventListener('message', connect)
  port.connect(channel, received)
})

const root = document.getElementById('page')
if (root) createRoot(root).render(<LivePage onFailed={(cause) => report(cause, true)} />)
// The window around answers with a port, before anything of a page runs.
parent.postMessage({ amodal: 'page' }, '*')
