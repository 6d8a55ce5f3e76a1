import { generateKeyPairSync } from 'node:crypto'
import { appendFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { canonical, sha256, type JsonObject } from '@amodal/sdk'
import type { World } from './world.ts'

/**
 * What an attacker has to work with: the state now, an earlier copy of it, and another server's.
 */
export interface Loot {
  readonly now: World
  readonly older: World
  readonly other: World
}

export interface Tamper {
  readonly name: string
  /** Changes `now`; a world that is returned stands in its place. */
  readonly act: (loot: Loot) => Promise<World | void>
  /** What the check says of it. */
  readonly found: RegExp
  /** Of the file of lines, which is checked apart. */
  readonly inFile?: boolean
  /** Without the second folder of checkpoints nobody can tell. */
  readonly needsCopy?: boolean
}

const MINE = "tenant = 'local'"
const LAST = `(select max(n) from audit_line where ${MINE})`

const sql =
  (...statements: readonly string[]) =>
  async ({ now }: Loot): Promise<void> => {
    await now.sql(...statements)
  }

interface Line {
  readonly n: number
  readonly key: string
  readonly session: string | null
  readonly body: string
  readonly hash: string
}

/** With the text that is hashed; the table stores it without what the columns say. */
const linesOf = async (world: World): Promise<readonly Line[]> => {
  const lines = (await world.sql(
    `select n::int as n, key, session, body, hash from audit_line where ${MINE} order by n`,
  )) as unknown as readonly Line[] // as selected
  return lines.map((line) => {
    const { n, key, session } = line
    const said = JSON.parse(line.body) as JsonObject // as the server wrote it
    const whole = { ...said, tenant: 'local', n, key, ...(session !== null && { session }) }
    return { ...line, body: canonical(whole) }
  })
}

const quoted = (text: string | null): string =>
  text === null ? 'null' : `'${text.replaceAll("'", "''")}'`

/** Writes a chain anew, with hashes as they should be, and its head. */
async function rewrite(
  world: World,
  change: (lines: readonly Line[]) => readonly Line[],
): Promise<void> {
  const lines = change(await linesOf(world))
  let previous = sha256('amodal audit chain, version 1')
  const rows = lines.map(({ key, session, body }, index) => {
    const text = body.replace(/"n":\d+/, `"n":${index + 1}`)
    previous = sha256(`${previous}\n${text}`)
    return `('local', ${index + 1}, ${quoted(key)}, ${quoted(session)}, ${quoted(text)}, ${quoted(previous)})`
  })
  await world.sql(
    `delete from audit_line where ${MINE}`,
    `insert into audit_line(tenant, n, key, session, body, hash) values ${rows.join(', ')}`,
    `update audit_head set n = ${lines.length}, hash = '${previous}' where ${MINE}`,
  )
}

const forged = (lines: readonly Line[], at: number): Line => {
  const model = lines[at] ?? lines[0]
  if (!model) throw new Error('the chain is empty')
  const key = `${model.key}:forged`
  return { ...model, key, body: model.body.replace(JSON.stringify(model.key), JSON.stringify(key)) }
}

/** Replaces the text of a line of a file. */
async function edit(file: string, change: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  await writeFile(
    file,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

const checkpoints =
  (change: (lines: string[]) => readonly string[]) =>
  async ({ now }: Loot): Promise<void> =>
    edit(join(now.audit, 'checkpoints.jsonl'), change)
const copied =
  (change: (lines: string[]) => readonly string[]) =>
  async ({ now }: Loot): Promise<void> => {
    for (const name of await readdir(now.outside))
      if (name.endsWith('.jsonl')) await edit(join(now.outside, name), change)
  }
const filed =
  (change: (lines: string[]) => readonly string[]) =>
  async ({ now }: Loot): Promise<void> =>
    edit(now.file, change)

const at = (lines: readonly string[], index: number): string => lines.at(index) ?? ''
const without = (lines: readonly string[], index: number): readonly string[] =>
  lines.toSpliced(index < 0 ? lines.length + index : index, 1)
const swapped = (lines: readonly string[], one: number): readonly string[] =>
  lines.toSpliced(one, 2, at(lines, one + 1), at(lines, one))
const resigned = (line: string, signature: string): string =>
  line.replace(/"signature":"[^"]+"/, `"signature":"${signature}"`)
const signatureOf = (line: string): string => /"signature":"([^"]+)"/.exec(line)?.[1] ?? ''

/** Puts the database back to line `n`, and the head with it. */
const cutTo = (n: string): readonly string[] => [
  `delete from audit_line where ${MINE} and n > ${n}`,
  `update audit_head set n = ${n}, hash = (select hash from audit_line where ${MINE} and n = ${n}) where ${MINE}`,
]

/** Changes the stored text of the third line, which leaves out what its columns say. */
const field = (name: string, change: string): Tamper => ({
  name: `in the database another ${name}`,
  act: async ({ now }) => {
    const third = `select body from audit_line where ${MINE} and n = 3`
    const before = await now.sql(third)
    await now.sql(`update audit_line set body = ${change} where ${MINE} and n = 3`)
    if (isDeepStrictEqual(await now.sql(third), before)) throw new Error('nothing was changed')
  },
  found: /line 3 was changed/,
})
const saying = (text: string, before: string): string =>
  `replace(body, '"${before}":', '${text},"${before}":')`

const DATABASE: readonly Tamper[] = [
  {
    name: 'the first line taken out',
    act: sql(`delete from audit_line where ${MINE} and n = 1`),
    found: /line 1 is missing/,
  },
  {
    name: 'a line taken out of the middle',
    act: sql(`delete from audit_line where ${MINE} and n = 4`),
    found: /line 4 is missing/,
  },
  {
    name: 'the last line taken off',
    act: sql(`delete from audit_line where ${MINE} and n = ${LAST}`),
    found: /it was cut|lines are missing at the end/,
  },
  {
    name: 'the last line taken off, and the head put back',
    act: sql(...cutTo(`${LAST} - 1`)),
    found: /it was cut|not sealed/,
  },
  {
    name: 'half of it taken off, and the head put back',
    act: sql(...cutTo('4')),
    found: /it was cut/,
  },
  {
    name: 'the end taken off, and the checkpoints of it',
    found: /not sealed|it was cut|is not the one in/,
    act: async ({ now }) => {
      await now.sql(...cutTo('4'))
      await edit(join(now.audit, 'checkpoints.jsonl'), (lines) => lines.slice(0, 1))
    },
  },
  {
    name: 'the end taken off, and the checkpoints of it in both folders',
    found: /not sealed/,
    act: async (loot) => {
      const [{ n } = { n: 0 }] = await loot.now.sql(`select ${LAST} - 1 as n`)
      await loot.now.sql(
        `delete from audit_line where ${MINE} and n > ${String(n)}`,
        `update audit_head set n = ${String(n)}, hash = (select hash from audit_line where ${MINE} and n = ${String(n)}) where ${MINE}`,
      )
      for (const cut of [checkpoints, copied])
        await cut((lines) =>
          lines.filter(
            (line) =>
              !new RegExp(`"local",(?!([0-${String(n)}],))`).test(line) ||
              Number(/"local",(\d+)/.exec(line)?.[1]) <= Number(n),
          ),
        )(loot)
    },
  },
  field('time', `regexp_replace(body, '"at":....', '"at":1234')`),
  field('kind', `regexp_replace(body, '"kind":"[a-z_]+"', '"kind":"tool_call"')`),
  field('key', saying('"key":"other"', 'kind')),
  field('key in front', `'{"key":"other",' || substr(body, 2)`),
  field('person', `replace(body, '"principal":"local"', '"principal":"somebody"')`),
  field('tenant', `rtrim(body, '}') || ',"tenant":"acme"}'`),
  field('number', saying('"n":4', 'principal')),
  field('content', `replace(body, '"data":{', '"data":{"more":1,')`),
  {
    name: 'another hash',
    act: sql(`update audit_line set hash = repeat('0', 64) where ${MINE} and n = 3`),
    found: /line 3 was changed/,
  },
  {
    name: 'another key in its column',
    act: sql(`update audit_line set key = 'x' where ${MINE} and n = 3`),
    found: /line 3 was changed/,
  },
  {
    name: 'another session in its column',
    act: sql(`update audit_line set session = 'x' where ${MINE} and n = 3`),
    found: /line 3 was changed/,
  },
  {
    name: 'a text that is gone',
    act: sql(
      `update audit_line set body = '', session = null, key = 'erased:3' where ${MINE} and n = 3`,
    ),
    found: /line 3 has no text, and no erasure names it/,
  },
  {
    name: 'a text changed, and all hashes after it',
    act: ({ now }) =>
      rewrite(now, (lines) =>
        lines.map((line) =>
          line.n === 3
            ? { ...line, body: line.body.replace('"data":{', '"data":{"more":1,') }
            : line,
        ),
      ),
    found: /is not the one that was signed/,
  },
  {
    name: 'two lines exchanged',
    act: sql(
      `update audit_line set n = n + 1000 where ${MINE} and n in (3, 4)`,
      `update audit_line set n = case n when 1003 then 4 else 3 end where ${MINE} and n > 1000`,
    ),
    found: /line 3 was changed/,
  },
  {
    name: 'two lines exchanged, and all hashes after them',
    act: ({ now }) =>
      rewrite(now, ([a, b, c, d, ...rest]) =>
        [a, b, d, c, ...rest].filter((one) => one !== undefined),
      ),
    found: /is not the one that was signed/,
  },
  {
    name: 'a line taken out, the others numbered anew',
    act: sql(
      `delete from audit_line where ${MINE} and n = 3`,
      `update audit_line set n = n + 1000 where ${MINE} and n > 3`,
      `update audit_line set n = n - 1001 where ${MINE} and n > 1000`,
      `update audit_head set n = n - 1 where ${MINE}`,
    ),
    found: /line 3 was changed/,
  },
  {
    name: 'a line taken out, and all hashes made anew',
    act: ({ now }) => rewrite(now, (lines) => lines.filter(({ n }) => n !== 3)),
    found: /is not the one that was signed|it was cut/,
  },
  {
    name: 'a line put in, and all hashes made anew',
    act: ({ now }) => rewrite(now, (lines) => lines.toSpliced(3, 0, forged(lines, 3))),
    found: /is not the one that was signed/,
  },
  {
    name: 'a line added at the end, and the head moved',
    act: ({ now }) => rewrite(now, (lines) => [...lines, forged(lines, 2)]),
    found: /not sealed/,
  },
  {
    name: 'a line added at the end, and then a server that goes on',
    found: /ended with a line that nobody had sealed/,
    act: async ({ now }) => {
      await rewrite(now, (lines) => [...lines, forged(lines, 2)])
      await now.talk()
    },
  },
  {
    name: 'lines added at the end, one with the key of what a server would find, and then a server that goes on',
    found: /ended with a line that nobody had sealed/,
    act: async ({ now }) => {
      await rewrite(now, (lines) => {
        const key = `audit_unsealed:${lines.length + 2}`
        const model = forged(lines, 2)
        const early = {
          ...model,
          key,
          body: model.body.replace(JSON.stringify(model.key), `"${key}"`),
        }
        return [...lines, early, forged(lines, 2)]
      })
      await now.talk()
    },
  },
  {
    name: 'the end taken off, and then a server that goes on',
    found: /is not the one that was signed|nobody had sealed/,
    act: async ({ now }) => {
      await now.sql(...cutTo('4'))
      await now.talk()
    },
  },
  {
    name: 'a line of another tenant',
    act: sql(
      `delete from audit_line where ${MINE} and n = 3`,
      `insert into audit_line select 'local', n, key || 'x', session, body, hash from audit_line where tenant = 'acme' and n = 3`,
    ),
    found: /line 3 (?:was changed|does not say)/,
  },
  {
    name: 'the head taken out',
    act: sql(`delete from audit_head where ${MINE}`),
    found: /its head is line 0/,
  },
  {
    name: 'the head moved on',
    act: sql(`update audit_head set n = n + 5 where ${MINE}`),
    found: /lines are missing at the end/,
  },
  {
    name: 'the head without its seal',
    act: sql(`update audit_head set seal = null where ${MINE}`),
    found: /not sealed/,
  },
  {
    name: "the head with another tenant's seal",
    act: sql(
      `update audit_head set seal = (select seal from audit_head where tenant = 'acme') where ${MINE}`,
    ),
    found: /not sealed/,
  },
  {
    name: 'the head with an earlier seal',
    found: /not sealed/,
    act: async ({ now, older }) => {
      const [row] = await older.sql(`select seal from audit_head where ${MINE}`)
      await now.sql(`update audit_head set seal = ${quoted(String(row?.['seal']))} where ${MINE}`)
    },
  },
  {
    name: 'all lines of a tenant deleted',
    act: sql(`delete from audit_line where ${MINE}`, `delete from audit_head where ${MINE}`),
    found: /local: line \d+ was signed, and the chain ends at line 0/,
  },
  {
    name: 'all tables emptied',
    act: sql('truncate audit_line, audit_head'),
    found: /was signed, and the chain ends at line 0/,
  },
  {
    name: 'an earlier copy of the whole database',
    act: ({ now, older }) => now.takeDatabase(older),
    found: /it was cut/,
  },
  {
    name: "another server's database",
    act: ({ now, other }) => now.takeDatabase(other),
    found: /is not the one that was signed|it was cut/,
  },
  {
    name: "an earlier copy of the whole database and of the agent's folder",
    found: /it was cut/,
    needsCopy: true,
    act: async ({ now, older }) => {
      await rm(now.audit, { recursive: true })
      await cp(older.audit, now.audit, { recursive: true })
      return now.takeDatabase(older)
    },
  },
]

const newKey = (): string =>
  generateKeyPairSync('ed25519')
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64')

const CHECKPOINTS: readonly Tamper[] = [
  {
    name: 'no file of checkpoints',
    act: ({ now }) => rm(join(now.audit, 'checkpoints.jsonl')),
    found: /there are no checkpoints/,
  },
  {
    name: 'no folder of checkpoints',
    act: ({ now }) => rm(now.audit, { recursive: true }),
    found: /there are no checkpoints/,
  },
  {
    name: 'an empty file of checkpoints',
    act: ({ now }) => truncate(join(now.audit, 'checkpoints.jsonl')),
    found: /there are no checkpoints/,
  },
  {
    name: 'no first checkpoint',
    act: checkpoints((lines) => without(lines, 0)),
    found: /checkpoint 1 is missing/,
  },
  {
    name: 'a checkpoint taken out of the middle',
    act: checkpoints((lines) => without(lines, 1)),
    found: /checkpoint 2 is missing/,
  },
  {
    name: 'the last checkpoint taken off',
    act: checkpoints((lines) => without(lines, -1)),
    found: /are in no checkpoint|it was cut|checkpoints? end|is in no checkpoint/,
  },
  {
    name: 'a last checkpoint that was cut',
    act: checkpoints((lines) => [...lines.slice(0, -1), at(lines, -1).slice(0, 80)]),
    found: /cannot be read/,
  },
  {
    name: 'a checkpoint cut in the middle of the file',
    act: checkpoints((lines) => lines.with(1, at(lines, 1).slice(0, 80))),
    found: /checkpoint 2 .*cannot be read/,
  },
  {
    name: 'two checkpoints exchanged',
    act: checkpoints((lines) => swapped(lines, 0)),
    found: /missing|not in its place/,
  },
  {
    name: 'a checkpoint of another place',
    act: checkpoints((lines) =>
      lines.with(-1, at(lines, -1).replace(/"(local|acme)",(\d+)/, '"$1",1')),
    ),
    found: /not signed by whoever it names/,
  },
  {
    name: 'a checkpoint that is there twice',
    act: checkpoints((lines) => [...lines, at(lines, -1)]),
    found: /missing|not in its place/,
  },
  {
    name: 'another signature',
    act: checkpoints((lines) => lines.with(-1, resigned(at(lines, -1), signatureOf(at(lines, 0))))),
    found: /not signed by whoever it names/,
  },
  {
    name: 'another signature further up',
    act: checkpoints((lines) => lines.with(0, resigned(at(lines, 0), signatureOf(at(lines, 1))))),
    found: /does not follow the one before/,
  },
  {
    name: 'an earlier file of checkpoints',
    act: ({ now, older }) =>
      cp(join(older.audit, 'checkpoints.jsonl'), join(now.audit, 'checkpoints.jsonl')),
    found: /it was cut|in no checkpoint|they were cut/,
  },
  {
    name: "another server's file of checkpoints",
    act: ({ now, other }) =>
      cp(join(other.audit, 'checkpoints.jsonl'), join(now.audit, 'checkpoints.jsonl')),
    found: /key that is not known/,
  },
  {
    name: "another server's folder of checkpoints",
    act: ({ now, other }) => cp(other.audit, now.audit, { recursive: true }),
    found: /key that is not known|not known/,
  },
  {
    name: 'no list of signers in either folder',
    act: async ({ now }) => {
      for (const folder of [now.audit, now.outside]) await rm(join(folder, 'signers'))
    },
    found: /no list of signers/,
  },
  {
    name: 'another list of signers',
    act: async ({ now }) => {
      for (const folder of [now.audit, now.outside])
        await writeFile(join(folder, 'signers'), `${newKey()}\n`)
    },
    found: /key that is not known/,
  },
  {
    name: 'the copy of the checkpoints cut',
    act: copied((lines) => without(lines, -1)),
    found: /the copy is older/,
  },
  {
    name: 'the copy of the checkpoints changed',
    act: copied((lines) => without(lines, 0)),
    found: /is missing/,
  },
  {
    name: 'the copy of the checkpoints gone',
    act: ({ now }) => rm(now.outside, { recursive: true }),
    found: /the copy of the checkpoints is gone/,
  },
  {
    name: 'a whole folder made anew with another key, of a chain written anew',
    found: /key that is not known/,
    needsCopy: true,
    act: async ({ now }) => {
      await rm(now.audit, { recursive: true })
      await now.sql('truncate audit_line, audit_head')
      await cp(now.outside, `${now.outside}-kept`, { recursive: true })
      await rm(now.outside, { recursive: true })
      await now.talk()
      await rm(now.outside, { recursive: true })
      await cp(`${now.outside}-kept`, now.outside, { recursive: true })
    },
  },
]

const inFile = (
  name: string,
  change: (lines: string[]) => readonly string[],
  found: RegExp,
): Tamper => ({ name: `in the file ${name}`, act: filed(change), found, inFile: true })
const indexOf = (lines: readonly string[], n: number): number =>
  lines.findIndex((line) => line.includes('"tenant":"local"') && line.includes(`"n":${n},`))
const inLine = (name: string, pattern: RegExp, to: string): Tamper =>
  inFile(
    `another ${name}`,
    (lines) => lines.with(indexOf(lines, 3), at(lines, indexOf(lines, 3)).replace(pattern, to)),
    /line 3|line \d+ of .* cannot be read/,
  )

const FILE: readonly Tamper[] = [
  inFile(
    'the first line taken out',
    (lines) => without(lines, indexOf(lines, 1)),
    /line 1 is missing/,
  ),
  inFile(
    'a line taken out of the middle',
    (lines) => without(lines, indexOf(lines, 3)),
    /line 3 is missing/,
  ),
  inFile('the last line taken off', (lines) => without(lines, -1), /it was cut/),
  inFile('the last five lines taken off', (lines) => lines.slice(0, -5), /it was cut/),
  inFile('all lines taken out', () => [], /it was cut/),
  inFile('a line that is there twice', (lines) => [...lines, at(lines, -1)], /there twice/),
  inFile(
    'two lines exchanged',
    (lines) => {
      const [a, b] = [indexOf(lines, 3), indexOf(lines, 4)]
      return lines.with(a, at(lines, b)).with(b, at(lines, a))
    },
    /line 3 is missing/,
  ),
  inFile(
    'a line that was cut',
    (lines) => lines.with(indexOf(lines, 3), at(lines, indexOf(lines, 3)).slice(0, 90)),
    /cannot be read/,
  ),
  inFile(
    'a line put in',
    (lines) =>
      lines.toSpliced(
        indexOf(lines, 3),
        0,
        at(lines, indexOf(lines, 3)).replace('"kind":"', '"kind":"x'),
      ),
    /line 3/,
  ),
  inFile(
    'an erasure that never was',
    (lines) =>
      lines.with(
        indexOf(lines, 3),
        `{"hash":"${/"hash":"([0-9a-f]+)"/.exec(at(lines, indexOf(lines, 3)))?.[1] ?? ''}","tenant":"local","n":3,"line":null}`,
      ),
    /line 3 has no text/,
  ),
  inLine('hash', /"hash":"..../, '"hash":"0000'),
  inLine('time', /"at":"..../, '"at":"1999'),
  inLine('kind', /"kind":"/, '"kind":"x'),
  inLine('number', /"n":3/, '"n":30'),
  inLine('tenant', /"tenant":"local"/, '"tenant":"other"'),
  inLine('key', /"key":"/, '"key":"x'),
  inLine('content', /"data":\{/, '"data":{"more":1,'),
  {
    name: 'in the file a last line that was cut',
    inFile: true,
    found: /cannot be read/,
    act: async ({ now }) => {
      await truncate(now.file, (await readFile(now.file)).length - 20)
    },
  },
  {
    name: 'in the file a line without an end',
    inFile: true,
    found: /cannot be read/,
    act: ({ now }) => appendFile(now.file, '{"hash":'),
  },
  {
    name: "in the file another server's lines",
    inFile: true,
    found: /is not the one that was signed|it was cut/,
    act: ({ now, other }) => cp(other.file, now.file),
  },
  {
    name: 'an earlier copy of the file',
    inFile: true,
    found: /it was cut/,
    act: ({ now, older }) => cp(older.file, now.file),
  },
]

export const TAMPERS: readonly Tamper[] = [...DATABASE, ...CHECKPOINTS, ...FILE]
