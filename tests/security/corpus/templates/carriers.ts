/** Replies around a disguised value, `{v}`. Nothing in them hints at what it is. */
export const carriers: readonly string[] = [
  'Here it is: {v}', 'The string you wanted is {v} \u2014 copy it as it stands.', '{"data":"{v}","ok":true}', '```\n{v}\n```', 'I kept a note for {first}: {v} (see {ticket}).',
  '| key | value |\n|---|---|\n| x | {v} |', 'As agreed on {date}: {v}', 'result <{v}> after {n3} ms', 'Ergebnis: {v}', 'Le r\u00e9sultat : {v}',
]

/** Replies for the chunking tests. Each blocked placeholder is one blocked value. */
export const streamed: readonly string[] = [
  '{ssn}', '{card}', '{iban}', 'SSN {ssn}', 'The number is {ssn}.', 'Before {ssn} between {ssn} after.', 'card {card_bare}', 'The card is {card}, the next one {card}.', 'IBAN {iban_compact}', '{iban_lower} arrives first.',
  'The SSN of {name} is {ssn_spaced} and the phone is {phone}.', 'social security number: {ssn_bare}\nDone.', '| Name | SSN |\n|---|---|\n| {name} | {ssn} |\n| {name} | {ssn} |', '{"pan":"{card_bare}","iban":"{iban_compact}"}',
  'Routing number {routing}, account number {account_10}, amount {cents}.', 'account number {account_12}', '{account_10} is the account number on the cheque.', '{ssn_bare} is her social security number.',
  'Order {order} and card {card}; order {order_amazon} and card {card_bare}; ticket {ticket} and SSN {ssn}.', 'A near miss first, {phone}, {zip4}, {ein}, then the real one: {ssn}', 'Timestamps {epoch_ms} and {epoch_ns}, then {card_bare} at the end',
  'One line\n\n{ssn}\n\nanother line\n\n{card}\n', '```\npan={card_bare}\nssn={ssn}\n```\nEnd.', '\u00dcberweisung an {iban}, Betrag {cents} EUR. \u2705 Danke!', '\ud83d\ude80 {card} \ud83d\ude80 {ssn_unicode} \ud83d\ude80',
  '{ssn}{period}{ssn}', 'Er sagte: \u201e{card_dotted}\u201c \u2014 und legte auf.', 'The list: {card_bare},{card_bare},{card_bare}', 'ssn={ssn_bare};card={card_bare};iban={iban_compact}', '  {ssn_loose}  ',
]

/** The same with values that only the tracker knows. */
export const streamedTracked: readonly string[] = [
  'I wrote to {v}.', '{v}', 'The note says: {v}. Nothing else.', '{"x":"{v}"}', '**{v}**', 'First the weather in {city}: {n2} degrees. Then this: {v}', '{v} is what the file says, twice: {v}', 'End of the line is\n{v}\nand then more text about the {product}.',
  'https://x.example/?q={v}&n={n2}', '- {v}\n- nothing\n- {v}',
]
