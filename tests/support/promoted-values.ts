/** Values that no file may have: what people write and services answer, different for each `n`. */
export interface PlantedValues {
  readonly email: string
  readonly phone: string
  readonly national: string
  readonly iban: string
  readonly card: string
  readonly ssn: string
  readonly account: string
  readonly address: string
  readonly token: string
  readonly nationalId: string
}

export function plantedValues(n: number): PlantedValues {
  const two = String(n).padStart(2, '0')
  return {
    email: `anna.weber${n}@kunde-${n}.de`,
    phone: `+49 151 2345 67${two}`,
    national: `(212) 867-53${two}`,
    iban: iban(`3704004405320130${two}`),
    card: card(`45399512345678${two}`.slice(0, 15)),
    ssn: `219-45-10${two}`,
    account: `8830071${two}`,
    address: `81.17.${n}.23`,
    token: `sk_live_9fK2mQ7xT4bW8zR1vN${two}`,
    nationalId: `NID-77-44${two}-Q`,
  }
}

/** All ways to write a value that a file could have. */
export const spellingsOf = (value: string): readonly string[] => [
  value,
  value.replaceAll(/[ ()-]/g, ''),
  encodeURIComponent(value),
  Buffer.from(value).toString('base64').replaceAll('=', ''),
]

function iban(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  const compact = `DE${String(check).padStart(2, '0')}${account}`
  return (compact.match(/.{1,4}/g) ?? []).join(' ')
}

function card(digits: string): string {
  const sum = [...digits].reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
