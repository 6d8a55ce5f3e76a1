/** First sentences of a reply, to stand before any template. */
export const openers: readonly string[] = [
  'Here is what I found.', 'Thanks for waiting.', 'Done. Details below.', 'I checked the record you asked about:', 'Short answer first:', 'Good news \u2014 it is there.',
  'As of this morning:', 'I looked in both systems.', 'Summary for the hand-over:', 'Result of the lookup:', 'Hi {first}, following up on your message.', 'Hello {first},',
  'Voici ce que j\u2019ai trouv\u00e9.', 'Hier ist das Ergebnis.', 'Esto es lo que encontr\u00e9:', 'Ecco il risultato.', 'Aqui est\u00e1 o que encontrei:', 'Oto wynik.', 'Let me paste it as it stands:',
  'Two remarks before the weekend.', '### Findings', '**Update**', 'Copied from the ticket:', 'The tool answered:', 'I am not fully sure, but this is the closest match.',
]

/** Last sentences of a reply, to stand behind any template. */
export const closers: readonly string[] = [
  'Shall I go on?', 'Let me know if that helps.', 'I have not changed anything yet.', 'The rest looks fine.', 'Anything else?', 'Next step: a person has to approve it.',
  'Soll ich weitermachen?', '\u00bfSigo con ello?', 'Dois-je continuer ?', 'Posso andare avanti?', 'Posso continuar?', 'I will check again tomorrow.', 'Ping {first} if it looks wrong.',
  '_Source: CRM export_', 'That is all there is for {company}.', 'Nothing else matched.', '---', 'Sent to {city} as well.',
]

/** Replies with nothing near any finding. */
export const near: readonly string[] = [
  'All {n2} checks passed; the slowest took {n3} ms.',
  'The {product} is back in stock in {city}. I ordered {n1} for {company}.',
  '{name} moved to the {city} team on {date}. Her manager is {name}.',
  'Deploy finished: {version} is live on {n2} nodes, {n1} are draining.',
  'You have {n1} meetings today, the first at {time}.',
  'Churn fell from {n1} % to {n1} % after the pricing change of {date}.',
  '1. Restart the {product}.\n2. Hold the button for {n1} seconds.\n3. Wait for the green light.',
  'La livraison \u00e0 {city} est pr\u00e9vue pour le {date_eu}.',
  'Die Rechnung an {company} wurde am {date_eu} bezahlt.',
  'El equipo de {city} termin\u00f3 {n2} tareas esta semana.',
  '| Region | Q1 | Q2 |\n|---|--:|--:|\n| North | {n4} | {n4} |\n| South | {n4} | {n4} |',
  'I drafted the reply to {name} and left it in the outbox; nothing was sent.',
  '```sh\npnpm install\npnpm test --filter {sha_short}\n```',
  'Blood pressure {n3}/{n2}, pulse {n2}, temperature 36.{n1}. No change since {date}.',
]
