import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnowledgeDocument } from '@amodal/sdk'

interface Question {
  readonly question: string
  /** Names of the documents that answer it. */
  readonly relevant: readonly string[]
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8'))

/** 60 short documents, as a company writes them for its people and its customers. */
export const DOCUMENTS = (read('documents.json') as Omit<KnowledgeDocument, 'file'>[]).map(
  (document): KnowledgeDocument => ({ ...document, file: `knowledge/${document.name}.md` }),
) // the file is ours

/** 40 questions, in other words than the documents where people would use others. */
export const QUESTIONS = read('questions.json') as readonly Question[] // the file is ours

/** The mean, over all questions, of the part of the relevant documents among the first ten. */
export async function recallAt10(
  documentsFor: (question: string) => Promise<readonly string[]>,
): Promise<{ readonly recall: number; readonly missed: readonly string[] }> {
  let sum = 0
  const missed: string[] = []
  for (const { question, relevant } of QUESTIONS) {
    const first = new Set((await documentsFor(question)).slice(0, 10))
    const found = relevant.filter((name) => first.has(name)).length
    sum += found / relevant.length
    if (found < relevant.length) missed.push(question)
  }
  return { recall: sum / QUESTIONS.length, missed }
}
