import { statusOf } from '@amodal/plugin-http/tokens'
import { KERNEL_CODES } from '@amodal/kernel'
import { CODES } from '@amodal/sdk'
import { entriesOf, ErrorKinds, isKnownCode } from '@amodal/sdk/inspection'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'
import { ERROR_NOTES } from './error-notes.ts'
import { partsNaming } from './parts.ts'

interface Row {
  readonly code: string
  readonly status: number
  readonly about: string
  readonly fix: string
  readonly from: readonly string[]
}

/** Every code that there is: those of the kernel and the sdk, and those of plugins. */
export function errorsPage(): string {
  const shared: readonly Row[] = Object.keys(CODES)
    .filter(isKnownCode)
    .map((name) => ({
      code: name,
      status: statusOf(name),
      about: ERROR_NOTES[name],
      fix: CODES[name],
      from: partsNaming(`'${name}'`),
    }))
  const own: readonly Row[] = OWN_PLUGINS.flatMap(({ name: plugin, declared }) =>
    [...entriesOf(declared, ErrorKinds).values()].map(({ code: name, status, about, fix }) => ({
      code: name,
      status,
      about,
      fix,
      from: [plugin],
    })),
  )
  const mute = [...shared, ...own].filter(({ about, from }) => about === '' || from.length === 0)
  if (mute.length > 0)
    throw new Error(
      `codes without a meaning, or that nothing uses: ${mute.map((row) => row.code).join(', ')}`,
    )
  return [
    '# Errors',
    `An error has a code, a message and a next step. The message says what happened where, so it is made on the spot; the code is
always one of these. Over HTTP an error is \`{ "error": { "code", "message" } }\` with the status of its code:
[errors of the HTTP API](../http-api.md#errors). A \`–\` stands for a code that does not reach a client as a status: it comes at the
start, in \`error\` events, in the log, or from the command line.`,
    'A plugin defines its own codes with `defineError` ([write a plugin](../write-a-plugin.md)); a code belongs to one plugin.',
    '## Of the kernel',
    rows(shared.filter(({ code: name }) => name in KERNEL_CODES)),
    '## Of the sdk',
    rows(shared.filter(({ code: name }) => !(name in KERNEL_CODES))),
    '## Of plugins',
    rows(own),
  ].join('\n\n')
}

const rows = (list: readonly Row[]): string =>
  table(
    ['Code', 'Status', 'What has happened', 'What to do', 'From'],
    list.map(({ code: name, status, about, fix, from }) => [
      code(name),
      status === 500 && name !== 'INTERNAL' ? '–' : String(status),
      about,
      fix,
      from.map((part) => partLink(part, PLUGIN_NAMES)).join(', '),
    ]),
  )
