import type { Connection } from '@amodal/sdk'

/** What the files of a connection say. */
export function textsOf(connection: Connection): string {
  return [
    tagged(connection, 'surface', connection.surface),
    tagged(connection, 'entities', connection.entities),
    tagged(connection, 'rules', connection.rules),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** With an end that no heading of the text can be mistaken for. */
export function tagged({ name }: Connection, part: string, text: string): string {
  return text === '' ? '' : `<${part} connection="${name}">\n${text}\n</${part}>`
}
