/**
 * What people say in words of their own, and the call that it asks for; before a bar what they said
 * in the turn before, with the call that was made then.
 */
export const IN_WORDS = `
He's user 309, make him an editor => PATCH /users/309 {"role":"editor"}
Close 7001 and 7002 => PATCH /tickets/7001 {"status":"closed"}
Close 7001 and 7002 => PATCH /tickets/7002 {"status":"resolved"}
bin file 882, we have a newer one => DELETE /files/882
new checkout flag (id 14) on in prod please => PATCH /flags/14 {"enabled":true,"environment":"production"}
Deal 88 is signed! => PATCH /deals/88 {"stage":"closed_won"}
we lost deal 91 to a competitor => PATCH /deals/91 {"stage":"closed_lost"}
order 5512 went out this morning => PATCH /orders/5512 {"status":"shipped"}
discount code SPRING for everyone, one in ten off => POST /discounts {"code":"SPRING","type":"percentage","value":10}
raise the budget of campaign 31 to 12k => PATCH /campaigns/31 {"budget":12000}
invoice 3321 has been paid, tick it off => PATCH /invoices/3321 {"status":"paid"}
ticket 5501 can wait, low prio => PATCH /tickets/5501 {"priority":"low"}
pls assign 5501 to user 12 => PATCH /tickets/5501 {"assignee_id":12}
Jot down on contact 771 that she prefers mornings => POST /contacts/771/notes {"body":"Prefers mornings."}
Give the folks in channel 12 a heads up that the lift is out of order => POST /channels/12/messages {"text":"Heads up: the lift is out of order."}
drop Sam (sam@northwind.example) a line, the parts arrived => POST /messages {"to":["sam@northwind.example"],"subject":"Parts arrived","body":"Hi Sam,\\n\\nthe parts have arrived.\\n\\nBest"}
product 4410 is sold out => PATCH /products/4410 {"status":"out_of_stock"}
product 4410: stock is 36 => PATCH /products/4410 {"stock":36}
shift event 88 to tomorrow at 3pm => PATCH /events/88 {"start":"{{tomorrow}}T15:00:00"}
Could somebody please put a reminder in calendar 3 for tomorrow at 9, call the plumber => POST /calendars/3/events {"title":"Call the plumber","start":"{{tomorrow}}T09:00:00"}
user 220's phone is +44 20 7946 0958 now => PATCH /users/220 {"phone":"+44 20 7946 0958"}
get rid of webhook 12 => DELETE /webhooks/12
kick user 77 out of group 9 => DELETE /groups/9/members/77
put user 77 into group 9 => POST /groups/9/members {"user_id":77}
refund order 8123, 25 quid => POST /orders/8123/refunds {"amount":25,"currency":"GBP"}
unfreeze card 12 pls => POST /cards/12/unfreeze
Wir sollten Ticket 991 schließen, ist erledigt. => PATCH /tickets/991 {"status":"closed"}
Setze den Preis von Produkt 77 auf 19,90 => PATCH /products/77 {"price":19.9}
Schreib bitte an jan@firma.example, dass die Lieferung morgen kommt => POST /messages {"to":["jan@firma.example"],"subject":"Lieferung","body":"Guten Tag, die Lieferung kommt morgen."}
Peux-tu supprimer le fichier 45 ? => DELETE /files/45
Le ticket 450 est résolu, tu peux le fermer => PATCH /tickets/450 {"status":"closed"}
¿Puedes cancelar el pedido 5521? => POST /orders/5521/cancel
Avisa a Marta (marta@correo.example) de que la reunión es mañana => POST /messages {"to":["marta@correo.example"],"subject":"Reunión","body":"Hola Marta, la reunión es mañana."}
Sposta l'evento 33 a domani alle 10 => PATCH /events/33 {"start":"{{tomorrow}}T10:00:00"}
Potresti archiviare il canale 9? => POST /channels/9/archive
Pode cancelar a encomenda 7781? => POST /orders/7781/cancel
Zet de prijs van product 61 op 12,50 => PATCH /products/61 {"price":12.5}
Kun je ticket 77 sluiten? => PATCH /tickets/77 {"status":"closed"}
Zamknij zgłoszenie 812 => PATCH /tickets/812 {"status":"closed"}
Usuń plik 19 => DELETE /files/19
チケット812を閉じてください => PATCH /tickets/812 {"status":"closed"}
連絡先42を削除してください => DELETE /contacts/42
set limit of card 8 to 500 => PATCH /cards/8 {"limit":500} | same for 9 please => PATCH /cards/9 {"limit":500}
archive channel 12 => POST /channels/12/archive | and 13 => POST /channels/13/archive
refund order 8804 in full, 40 euros => POST /orders/8804/refunds {"amount":40} | same for 8805 => POST /orders/8805/refunds {"amount":40}
price of product 12 to 30 => PATCH /products/12 {"price":30} | no wait, make that 35 => PATCH /products/12 {"price":35}
ticket 12 to high prio => PATCH /tickets/12 {"priority":"high"} | 13 too => PATCH /tickets/13 {"priority":"high"}
note on contact 5: likes tea => POST /contacts/5/notes {"body":"Likes tea."} | Same note on 6. => POST /contacts/6/notes {"body":"Likes tea."}
scale service 3 to 4 replicas => PATCH /services/3 {"replicas":4} | back to 2 => PATCH /services/3 {"replicas":2}
Mach das Ticket 12 dringend => PATCH /tickets/12 {"priority":"urgent"} | das gleiche für 13 bitte => PATCH /tickets/13 {"priority":"urgent"}
restart service 44, it hangs => POST /services/44/restart
Please see to it that ann@acme.example gets added to channel 61 => POST /channels/61/members {"email":"ann@acme.example"}
I'd like order 771 cancelled => POST /orders/771/cancel
Ticket 5 should be assigned to user 12 => PATCH /tickets/5 {"assignee_id":12}
we need ticket 5 closed today => PATCH /tickets/5 {"status":"closed"}
`
  .trim()
  .split('\n')
