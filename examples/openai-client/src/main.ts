import OpenAI from 'openai'
import { conversation } from './conversation.ts'

const client = new OpenAI({
  baseURL: process.argv[2] ?? 'http://127.0.0.1:3847/v1',
  apiKey: process.argv[3] ?? 'none',
})
const { followUp, summary } = await conversation(client, 'help-desk', (text) =>
  process.stdout.write(text),
)
process.stdout.write(`\n\n${followUp}\n\n${JSON.stringify(summary)}\n`)
