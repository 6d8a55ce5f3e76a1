import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@amodal/sdk'
import { entriesOf, EventKinds, type EventKind } from '@amodal/sdk/inspection'
import ts from 'typescript'
import { code, partLink, table } from '../markdown.ts'
import { OWN_PLUGINS, PLUGIN_NAMES } from '../own-plugins.ts'
import { ROOT } from '../pages.ts'
import { EVENT_NOTES, RUNTIME_EVENT_NOTES } from './event-notes.ts'
import { partsNaming } from './parts.ts'

/** Every event that clients can meet, with its fields and who sends it. */
export function eventsPage(): string {
  const own = OWN_PLUGINS.flatMap(({ name, declared }) =>
    [...entriesOf(declared, EventKinds).values()].map((kind) => ({ name, kind })),
  )
  return [
    '# Events',
    `What happens is sent in two streams: events of a conversation answer a message, and events of the server
(\`GET /api/events\`) say that something has changed. How frames look, how a stream is resumed and what is replayed stands in
[the HTTP API](../http-api.md#events).`,
    '## Of a conversation',
    'Each has `type` and `timestamp` as well.',
    eventTable('sdk/src/agent-event.ts', 'AgentEvents', EVENT_NOTES),
    '## Of the server',
    'Each has `type`, `seq` and `timestamp` as well.',
    eventTable('sdk/src/ports/runtime-event.ts', 'RuntimeEvents', RUNTIME_EVENT_NOTES),
    '## Of plugins',
    `A plugin defines events of its own with \`defineEvent\` and \`defineRuntimeEvent\` ([write a plugin](../write-a-plugin.md)). Their
types begin with its name and a dot, so no two plugins share one.`,
    own.length === 0
      ? 'None of the plugins in this repository has any.'
      : table(['Type', 'Data', 'When', 'In', 'From'], own.map(ownRow)),
  ].join('\n\n')
}

const ownRow = ({ name, kind }: { name: string; kind: EventKind }): readonly string[] => [
  code(kind.type),
  code(JSON.stringify(kind.jsonSchema() satisfies Json)),
  kind.about,
  kind.in === 'session' ? 'a conversation' : 'the server',
  partLink(name, PLUGIN_NAMES),
]

function eventTable(file: string, name: string, notes: Readonly<Record<string, string>>): string {
  return table(
    ['Type', 'Fields', 'When', 'From'],
    fieldsOf(file, name).map(({ type, fields }) => [
      code(type),
      fields.map(code).join(', '),
      notes[type] ?? '',
      sendersOf(type),
    ]),
  )
}

function sendersOf(type: string): string {
  const parts = partsNaming(`type: '${type}'`)
  return parts.length === 0
    ? 'nothing sends it yet'
    : parts.map((part) => partLink(part, PLUGIN_NAMES)).join(', ')
}

interface Declared {
  readonly type: string
  readonly fields: readonly string[]
}

/** The members of an interface, each with the fields of its type as the source spells them. */
function fieldsOf(file: string, name: string): readonly Declared[] {
  const tree = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found = tree.statements.find(
    (one): one is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(one) && one.name.text === name,
  )
  if (!found) throw new Error(`${file} has no interface ${name}`)
  return found.members.filter(ts.isPropertySignature).map((member) => ({
    type: member.name.getText(tree),
    fields:
      member.type && ts.isTypeLiteralNode(member.type)
        ? member.type.members.filter(ts.isPropertySignature).map((field) => fieldText(field, tree))
        : [],
  }))
}

const fieldText = (field: ts.PropertySignature, tree: ts.SourceFile): string =>
  `${field.name.getText(tree)}${field.questionToken ? '?' : ''}: ${(field.type?.getText(tree) ?? 'unknown').replaceAll(/\s+/g, ' ').replaceAll('readonly ', '')}`
