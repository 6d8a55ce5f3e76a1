import { KERNEL_CODES } from '@amodal/kernel'
import { CODES } from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import { entriesOf, ErrorKinds, isKnownCode, STATUSES } from '@amodal/sdk/inspection'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'
import { ERROR_NOTES } from './error-notes.ts'
import { partsNaming } from './parts.ts'

interface Row {
  readonly code: string
  readonly status: number | undefined
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
      status: name in STATUSES ? statusOf(name) : undefined,
      about: ERROR_NOTES[name],
      fix: CODES[name],
      from: partsNaming(`'${name}'`),
    }))
  const own: readonly Row[] = OWN_PLUGINS.flatMap(({ name: plugin, declared }) =>
    [...entriesOf(declared, ErrorKinds).values()].map(({ code: name, status, about, fix }) => ({
      code: name,
      status: status === 500 ? undefined : status,
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
[errors of the HTTP API](../http-api.md#errors). With 500 the client receives an id only, except where
a turn of \`/chat/sync\` ends with the error. A \`–\` stands for a code without a status: it comes at the start, in the result of a tool, in
the log, or from the command line; a response or a turn that ends with it is 500.`,
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
      String(status ?? '–'),
      about,
      fix,
      from.map((part) => partLink(part, PLUGIN_NAMES)).join(', '),
    ]),
  )
