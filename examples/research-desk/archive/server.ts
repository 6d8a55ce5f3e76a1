import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** An archive of studies as an MCP server over stdio: a folder of Markdown files. */
const STUDIES = join(import.meta.dirname, 'studies')
const readOnly = { annotations: { readOnlyHint: true } }

interface Study {
  readonly id: string
  readonly title: string
  readonly text: string
}

async function readStudies(): Promise<readonly Study[]> {
  const files = (await readdir(STUDIES)).filter((file) => file.endsWith('.md')).sort()
  return Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(STUDIES, file), 'utf8')
      // one line for each paragraph: a quote may go over the end of a line
      const text = source.replaceAll(/(?<=\S)\n(?=\S)/g, ' ')
      return { id: file.slice(0, -'.md'.length), title: /^# (.*)/.exec(text)?.[1] ?? '', text }
    }),
  )
}

const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] })

function createServer(): McpServer {
  const server = new McpServer({ name: 'archive', version: '1.0.0' })
  server.registerTool(
    'search_studies',
    {
      ...readOnly,
      description: 'Returns the ids and titles of studies that contain all of the words.',
      inputSchema: z.object({ words: z.array(z.string().min(1)).min(1).max(10) }),
    },
    async ({ words }) => {
      const studies = (await readStudies()).filter(({ text }) =>
        words.every((word) => text.toLowerCase().includes(word.toLowerCase())),
      )
      const lines = studies.map(({ id, title }) => `${id}: ${title}`)
      return textOf(lines.length === 0 ? 'No study has all of these words.' : lines.join('\n'))
    },
  )
  server.registerTool(
    'read_study',
    {
      ...readOnly,
      description: 'Returns the text of one study.',
      inputSchema: z.object({ id: z.string() }),
    },
    async ({ id }) => {
      const study = (await readStudies()).find((one) => one.id === id)
      return study
        ? textOf(study.text)
        : { ...textOf(`There is no study "${id}". Search for its id.`), isError: true }
    },
  )
  return server
}

serveStdio(createServer)
