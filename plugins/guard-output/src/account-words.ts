/**
 * What texts call the number of an account and of other things, folded as `folded` does it: small
 * letters without accents. `*` stands for any ending, or before a word for anything it is composed
 * with; a word of two letters with a stroke or point between them is written with a stroke.
 */

/** Say by themselves that the number behind them is that of an account, or pays into one. */
export const PRECISE = `
acct acctno accno acctnum accountno accountnum accountnumber accountnr bankaccount bankacct acn
a/c ac/no a/n dda iban bban clabe cci cuentarut cbu cvu nib nuban nrb rib rip ccc ccp ccpostal pan/no giro chequing
bankverbindung* kontoverbindung* bankkonto* girokonto* sparkonto* gehaltskonto* geschaftskonto*
geschaeftskonto* firmenkonto* vereinskonto* spendenkonto* referenzkonto* postkonto* postcheckkonto* postscheckkonto*
tagesgeldkonto* verrechnungskonto* mietkonto* kautionskonto* treuhandkonto* anderkonto* privatkonto* lohnkonto*
*kontonummer *kontonummern ktonr ktonummer kontonr kontonum kontono kto k/o postcheck postscheck pckonto pcc
*bankrekening* *spaarrekening* *betaalrekening* *zichtrekening* girorekening* *rekeningnummer* *rekeningnr reknr bankrek* postrek* rekeningno postgiro* gironummer*
gironr rek rekn
*kontonummeret kontonummeret bankkontonummer* lonnskonto* lonskonto* lonekonto* brukskonto* sparekonto* sparkonto* lonkonto* opsparingskonto*
nemkonto* budgetkonto* bankgiro* bankgironummer* bankgironr plusgiro* pgnr bgnr bgnummer pg bg personkonto* kontonr kontonumre*
tilinumero* tilinro tilinr tilino pankkitil* pankkitilinumero* kayttotil* saastotil*
kontonumber arveldusarv* arveldusk* pangakont* pangaarv* arvenumb* kontonumbri*
saskait* banksaskait* norekinu* norekins norekina konts konta atsiskaitomo* atsiskaitom* saskaitos kontanum*
ctabancaria ctacte ctaahorro numerodecuenta numcuenta nrocuenta nocuenta cuentabancaria cuentacorriente
numerocuenta cuentaclabe cuentanumero cuentano ctano domiciliacion*
numeroconto numconto numerodiconto contocorrente contobancario ibanconto bancoposta
numeroconta numconta contabancaria contacorrente contapoupanca poupanca poupancas nconta numerodaconta numerodeconta
numcompte numerocompte numerodecompte comptebancaire ncompte nocompte nrcompte rib/iban
nrkonta numerkonta nrrachunku numerrachunku rachunekbankowy kontobankowe nrrb nrbiban bankowy/nr
cisloucta cislouctu cisuctu c/u c/uctu bankucet bankovniucet bankovyucet predcisli predcislie
*szamlaszam* *bankszamla* bszsz bszla szlaszam* szlasz fizetesiszamla* *folyoszamla* lakossagiszamla* 
trr brojracuna ziroracun* ziro* zirorac* brrac brojrn stracuna stevilkaracuna transakcijski* tekuci* deviznira*
contbancar contiban numarcont nrcont contcurent contului
hesapno hesapnumarasi hesapnum* bankahesab* ibanno
stk sotaikhoan sotk taikhoan taikhoannganhang
norek norekening nomorrekening rekno norekbank
akaunbank noakaun nomborakaun accountnombor
ziroszamla* escrow taikhoan directdeposit achaccount checkingaccount currentaccount
`

/** Names of an account, which mean other things as well. */
export const ACCOUNT = `
account accounts accountid savings saving checking ahorro ahorros livret accnt accont acount acounts acc accs ac
konto kontos kontot kontoen kontonu kont kontol *konto kontu kontom kontu
compte comptes cpte cte
cuenta cuentas cta ctas conta contas conto conti c/c cc c/cte c/corrente compta
rekening rekeningen
cont contul contului conturi
rachunek rachunku rachunki rachunkiem rachunkow r/k rk rach konta kontem koncie kontach
spojenie spojeni ucet uctu ucte uctem ucty uct
szamla szamlam szamlat szamlara szamlaja szamlajara szla szamlank
racun racuna racunu racunom rn rac
llogari* llogarise
tili tilin tilille tililta tilini tilillesi
hesap hesabi hesabim hesabima hesaba hesabiniz hesabimiz hesabina hesabinin hes
tk akaun akaunt reken
счет счета счету счетом счете счёт сч р/с р/сч л/с л/сч к/с расчетныи расчетного расчетному лицевои лицевого п/р р/р рр рахунок рахунку рахунка рахунком
сметка сметката сметку сметки сметкам рачун рачуна рачуну жиро жирорачун рахунки б/с банк/сч
хисоб шот есеп эсеп
λογαριασμος λογαριασμο λογαριασμου λογ λογ/μος αρ/λογ
հաշիվ հաշվեհամար հաշվի ანგარიში ანგარიშის ანგარიშზე ა/ა ანგარიშის
reikningur reikning reikn a/a жска жиросметка reikningsnumer reikningsnr reikningi bankareikningur
kunto
kaunti akaunti cuntas cyfrif
`

/** May stand for `number` beside one of the names. */
export const NUMBER = `
number numbers num no nr nbr numero numeros numer numeru nummer nummern nro nros nomor nomer nombor numara numaram numaraniz numarasi numarasi no/su nos
cislo cislem cisla szam szama szamu broj br stevilka st stev st/evilka numarul numar numaru numri numer numero numri nrs n s/no so
номер номера ном н бр броi број αριθμος αριθμ αρ numb nmbr numbr numeris numurs nr/as numerum haka
nummeret numret nummero numeret numeroa numeraci* teg raqami
`

/** Speak of banks and payments: where they stand, a number with the form of an account is one. */
export const BANK = `
pc pck postal postale postaux bank banks banka banke banki banku bankas bankasi bankası bankom bankach bankowy bankowego bankowe bankowym bankowa bancar bancara bancario bancaria bancarios
bancarias bancaire bancaires banco bancos banca banche banque banques bankovni bankovy bankoveho bankovneho bankovniho bankovno bankovna bankovski bankarski banco/a bancorp
bancomer bankhaus banken bankens bankeri pank pangas pankki pankin nganhang ngan hang
mobilepay vipps swish bizum twint blik zelle venmo paypal cheque current deposit depositor deposits payroll payee beneficiary beneficiaries beneficiario beneficiaria beneficiaire
payable remit remittance wire wired transfer transfers ach eft bacs chaps fps fedwire neft rtgs imps upi pad pap sepa swift bic
debit debited debits direct credited preauthorized authorized mandate vostro nostro
sparkasse kreissparkasse stadtsparkasse volksbank raiffeisenbank raiffeisen postbank uberweisung* ueberweisung* uberweis* ueberweis* bitte/uberweisen einzahlung* kontoinhaber* inhaber zahlungsempfanger* lastschrift* einzugsermachtigung* dauerauftrag*
courant courante virement* virer versement verser titulaire titular domiciliation domiciliacion prelevement* prelevements guichet agence coordonnees epargne
corriente corrientes nomina transferencia* transferir transfiere deposita depositar deposito depositos ingreso ingresar domicili* haberes interbancaria
corrente poupanca salario transferir transfer* favorecido pix depositar debito agencia
corrente bonifico bonifici versamento versare intestato intestata intestatario coordinate bancarie accredit* addebito postale filiale
overmaken overboeking overschrijv* storten stort tnv tenname begunstigde incasso machtiging
overforing* overfor betal* overfore betala betalning* innbetaling* indbetaling* betaling* autogiro insattning* utbetaling* kontohaver* kontohaver kontoinnehavare kontoeier mottakerkonto* mottaker registreringsnummer regnr clearing clearingnr clearingnummer
maksakaa maksu maksaa maksut saaja saajan tilisiirto* siirto osuuspankki osuuspankin
przelew* przelej* wplat* wplac* odbiorca odbiorcy bankowosc platnosc* platnosci* sprzedawc*
platba platbu platby platte prevod* prevest poslat posilat posielat posli* poslite zasli* zaplat* uhrad* najem sporitelna sporitelne
atutal* utal* utalas* kedvezmenyezett* szamlavezet* bankja
uplat* uplac* placanj* nakazil* nakaz* primatelj* primaoc* primalac* prejemnik* tekuci ziro transakcijski devizni otvoren
virament* beneficiar* titular* depun*
havale gonder* yatir* bankamiz* sube subesi vadesiz
chuyenkhoan chuyen khoan nganhang ctk chu
transfer setor rekening a/n atas cabang kcp
банк банка банке банку банком банковские банковскии банковского банковскои банковская реквизиты реквизитам расчетныи расчетного корр корреспондентскии перевод* перечисл* оплат* получател* бик кор рахунк* платіж* платеж* одержувач* отримувач* мфо іпн єдрпоу депозит* переказ* банки банкова банковска банковата преведе* превод* титуляр
τραπεζα τραπεζης τραπεζας καταθεσ* καταθεσεις μεταφορα
bancaires bankwest bankia rechnungsbetrag
account/holder holder holders accountholder
sbi cif pay/able paying payments payment pay paid deposito/a
iban ibans
`

/** Codes of a bank or branch: the account stands behind them or before. */
export const CODE = `
bsb sortcode sort s/c ifsc ifs ifsccode ifscode micr aba rtn routing transit trn inst institution blz bankleitzahl blzn clearing bcnr bcn nsc bankcode branch branchcode bankid
abi cab cin guichet codebanque banque sucursal oficina entidad agencia ag agc op operacao sucursal dv
sube filiaal reg regnr regnum registreringsnr registreringsnummer kontornr kontor clearingnummer clearingnr mfo
бик мфо кор банккод биc кпп iid filial branchno
plaza bankkod unit brstn
`

/** Small words between a name and its number. */
export const LINK = `
is are was am be the a an my our your his her their its to into from with at in on of and or by that this here new old same only following following: as
ist sind war die der das den dem des auf an bei mit und oder von zu zum zur lautet lauten mein meine meinem unser unsere unserem unseren ihr ihre ihrem neue neues neu jetzt nun bitte folgendes folgende
est le les l de du des d au aux a mon ma mes notre nos votre vos sur pour chez et ou suivant suivante ci dessous nouveau nouvelle
es son el la los las del al en mi mis tu tus su sus nuestra nuestro nuestras para con y o por e siguiente siguientes nueva nuevo
e sono il lo gli i di del della dello dell dei sul sulla nel al alla mio mia nostro nostra suo per presso con seguente nuovo nuova
o os um uma do da dos das no na nos nas meu minha nosso nossa seu sua para com em ao segue seguinte
het een mijn onze uw op van naar bij voor met en is zijn nieuwe volgende
er ar den det min mit vores var vart vara vara vort til till fra fran pa hos og och med ditt din ny nytt nye nya foljande folgende
on oma minun meidan ovat uusi seuraava
to jest moj moje nasz nasze nr na w z od do dla dla pan u nowe nowy nowego ponizsze podane
je jsou muj moje nas nase nash na v z od do pro novy nove cz
a az es ez van ami amit egy uj
je su moj moja nas nase na u za kod pri sa iz od do novi
este sunt meu mea nostru la de pe din in pentru noul
bu benim bizim ve ile icin olarak yeni olan
la cua toi ban minh em anh chi nhe vao qua
adalah saya kami anda ke di dan untuk dengan atas nama
на в с по из для это мой мои наш нашего ваш у и или от до нов новый як это такой наш це мій є за во со
ειναι μου μας το στο του της για
ltd inc gmbh llc plc lda kft pty sarl srl sro doo co reads equals set ending: named called via into
`

/** Call a number something else: it is not that of an account, however near the word for one is. */
export const OTHER = `
order orders ordered po invoice invoices inv ref reference references ticket tickets case cases batch lot tracking parcel shipment sku item items serial
note phone phones phoned tel telephone mobile cell fax call calls pager customer client customerno member membership employee staff version release build row rows line lines page pages
file files record records document doc documents form id ids uuid guid balance amount amounts total sum date dated opened created closed since age zip postcode box extension ext
minutes epoch timestamp upload export exported exports backup policy contract claim passport licence license tax vat ein tin ssn isbn issn ean imei registration follower followers seats units points bytes trace span
quote quoted price cents revenue size port code/no captcha pin password passcode username user users login handle post posts impressions budget charge charged
telefon* rechnung rechnungsnummer rechnungsnr rechnungs auftrag auftragsnummer bestellung bestellnummer kundennummer kundennr kunden vorgang aktenzeichen telefon telefonnummer tel handy mobil faxnummer artikelnummer artikel vertragsnummer vertrag steuernummer ustid plz datum betrag summe saldo kontostand gebuhr referenz verwendungszweck mitgliedsnummer seit seite
facture factures commande dossier telephone portable fax client reference montant solde date siret siren rendu rebours tva page pages contrat colis
factura facturas pedido pedidos referencia telefono movil celular cliente expediente importe saldo fecha dni nif cif cuit atras nie seguidores cedula ruc rfc
fattura fatture ordine ordini riferimento telefono cellulare pratica importo saldo data piva rovescia racconto cliente codice
fatura pedido encomenda referencia telefone celular telemovel cliente valor saldo data cpf cnpj nif seguidores contribuinte boleto
factuur factuurnummer bestelling klantnummer klant telefoon mobiel bedrag saldo datum btw kvk houdend dossier
faktura fakturanr fakturanummer fakturanummer ordre ordrenr ordrenummer bestilling kundenr kundnummer kundnr telefon mobil belop belob saldo dato datum orgnr organisationsnummer cvr ocr personnummer personnr
lasku laskun tilaus viite viitenumero puhelin puh asiakasnumero summa
faktury zamowienie zamowienia zamowienie telefon tel kwota saldo data nip regon pesel klient klienta
faktura objednavka objednavky telefon mobil castka suma datum ico dic zakaznik variabilni vs ks
szamlaszama/ szamlasorszam rendeles telefon telefonszam osszeg adoszam datum ugyfelszam
narudzba narudzbe narudzbenica narocilo narocila telefon mobitel iznos datum oib pib poziv sklic
comanda telefon suma cui
siparis telefon tutar fatura tarih vergi musteri takip
заказ* накладн* телефон* тел факс сумма дата договор договора инн кпп огрн окпо оплату зачет номера/счета матча клиент фактура фактуры замовлення дзвоніть договір
dondathang hoadon dienthoai sdt mst
pesanan faktur telepon hp npwp invoice
τηλεφωνο τηλ παραγγελια τιμολογιο αφμ
executive manager management review health tier settings payable/receivable chart sitz
therapy cage committee
`

/** Words that are one letter away from one of the others, and are none of them. */
export const ALIKE = `
compute computed computer routine routines accent accents recount discount discounts counts amount amounts accept recent cuento cuentos puenta compete comptant comtes
rechning reckoning kontor kontora kontoret kontrol kontakt kontakte kontext contact contacts contract contest content contents contra contato contatos contado contada counter count county country couts contour convent transmit transfer transits rooting counting accounting transact resort resorts branches routers outing posting postings
machine machines recent account's accounted accountant accountants bankrupt sailing string
`
