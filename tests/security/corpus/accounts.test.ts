import { OutputStream, Review, scan, settings } from '@amodal/plugin-guard-output'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const Accounts = z.array(z.object({ text: z.string(), number: z.string() }))
const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
const ORDINARY = z.array(z.string()).parse(read('ordinary.json'))

/** Of the texts that somebody else wrote, and of those written with the tables. */
const RECALL = [
  ['accounts.json', 0.98],
  ['accounts-own.json', 0.98],
] as const
const CLOSE = [
  'Checking 4500000 rows took 12345 ms.',
  'Call the bank at 555-123-4567 or 020 7946 0018.',
  'Konto 1200 (Bank) wurde mit 4.500,00 EUR belastet.',
  'SKR03 Konto 8400, Betrag 12345,67 EUR',
  'El banco central subió los tipos al 4,25 % el 14/03/2023.',
  'Le compte de résultat 2022/2023 affiche 1 234 567 euros.',
  '国民银行 电话 02-1234-5678',
  'The branch code is 250655 and the SWIFT is FIRNZAJJ.',
  'BLZ 37010050 gehört zur Postbank.',
  'Invoice 20240511-001 paid by transfer on 12/05/2024.',
  'Kundennummer 12345678 bei der Sparkasse',
  'Bank IP 192.168.100.200 port 5432.',
  'Transfer ref 9876543210 sent.',
  'Račun br. 123456 od 12.05.2024.',
  'La cuenta del restaurante fue de 12500 pesos.',
  'On account of 12345 complaints the bank closed.',
  'My user account id 12345 is locked.',
  'Номер телефона банка 8 800 555 35 50.',
  'The bank refused AT19 7677 5865 3156 2905.',
  'On 12-05-24, 12345678 clearing entries were sorted.',
  'HDFC0354535 is the IFSC of branch 87449315.',
  'Invoice 8744931535, IFSC HDFC0354535',
  'Phone 9876543210, IFSC SBIN0004885',
  'Version nº 12345678 da tabela de contas',
  'pedido nº 12345678 por conta do cliente',
  '1º lugar: 12345678 votos',
]

describe.each(RECALL)('bank accounts of many countries in %s', (name, least) => {
  const all = Accounts.parse(read(name))

  test('are found', () => {
    const missed = all.filter(({ text, number }) => {
      const begin = text.lastIndexOf(number)
      return !scan(text).some(({ start, end }) => start <= begin && end >= begin + number.length)
    })
    process.stdout.write(`${name}: ${all.length - missed.length} of ${all.length} accounts found\n`)
    expect(1 - missed.length / all.length, JSON.stringify(missed)).toBeGreaterThanOrEqual(least)
  })

  test.each([1, 3, 12])('do not leave, and the same leaves in pieces of %d', (size) => {
    for (const { text } of all) expect(sent(text, size)).toBe(sent(text, text.length))
  })
})

function sent(text: string, size: number): string {
  const review = new Review(settings.parse({ patterns: 'redact' }))
  const out = new OutputStream(review, { redacted: [], roles: [] })
  let left = ''
  for (let at = 0; at < text.length; at += size) left += out.push(text.slice(at, at + size))
  return left + out.flush()
}

test.each([...ORDINARY, ...CLOSE])('nothing is found in an ordinary text: %s', (text) => {
  expect(scan(text)).toEqual([])
})
