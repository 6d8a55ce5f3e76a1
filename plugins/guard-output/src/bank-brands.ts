/** Names by which banks are known, folded; those of two words in one, without the space. */
export const BRANDS = `
hsbc barclays lloyds natwest santander halifax monzo starling nationwide tsb revolut wise aib ptsb permanenttsb kbc coop metrobank
chase citibank citi wellsfargo bofa usbank pnc truist capitalone keybank fifththird schwab navyfederal huntington suntrust bbt
rbc scotiabank cibc bmo desjardins tangerine simplii eqbank nationalbank atb
westpac anz commbank cba nab macquarie bendigo bankwest suncorp ing stgeorge asb kiwibank bnz tsb
commerzbank sparkasse postbank comdirect dkb hypovereinsbank volksbank consorsbank targobank deutschebank n26 apobank sparda gls unicredit erste bawag oberbank raika raiffeisen raiffeisenbank steiermarkische bank99
ubs zkb postfinance creditsuisse kantonalbank migrosbank valiant bekb bcv bcge
bnp paribas bnpparibas lcl cic societegenerale creditagricole creditmutuel caissedepargne boursorama banquepostale labanquepostale fortuneo hellobank bred ccf
dexia belfius fortis argenta crelan ing rabobank rabo abnamro abn amro triodos bunq knab asn sns regiobank snsbank regiobank
intesa sanpaolo unicredit bnl bper bpm fineco fineco mediolanum posteitaliane bancoposta bcc credem widiba carige ubi banco
bbva caixabank caixa lacaixa sabadell bankinter ibercaja unicaja kutxabank abanca openbank bankia cajamar
millennium bcp novobanco bpi cgd montepio activobank bankinter
mbank pko pekao bnpp ing aliorbank alior santander millennium getin nest
csob kb moneta fio airbank equa komercni ceskasporitelna sporitelna sporitelne tatrabanka vub primabanka mbank
otp kh cib mkb erste takarek takarekbank granit raiffeisen budapestbank
nlb skb nkbm sparkasse abanka gorenjska deželna delavska pbz zaba zagrebacka splitska hpb erste addiko podravska aik komercijalna postanskastedionica vojvodjanska intesa
seb swedbank handelsbanken nordea danskebank danske lansforsakringar icabanken skandia skandiabanken sbanken dnb sparebank sparebanken jyske jyskebank nykredit sydbank arbejdernes lunar sparebank1 osuuspankki aktia spankki alandsbanken
landsbankinn islandsbanki arion luminor lhv citadele siauliu
bcr brd transilvania bancatransilvania cec raiffeisen ing alphabank unibank dsk ubb fibank postbank
eurobank piraeus πειραιως εθνικη
ziraat garanti isbank isbankasi akbank yapikredi halkbank vakifbank qnb finansbank denizbank teb enpara kuveytturk ingbank
сбербанк сбер втб альфа тинькофф тбанк газпромбанк райффаизен россельхозбанк приватбанк ощадбанк монобанк укрсиббанк пумб унікредит дск ккб каспи kaspi halyk
sberbank vtb tinkoff privatbank monobank oschadbank
itau bradesco nubank banrisul caixaeconomica bancodobrasil sicoob sicredi pagbank c6 btg safra
banamex citibanamex banorte bancomer bbvabancomer banregio hsbc azteca bancoazteca scotia inbursa bajio banbajio bancoppel afirme
galicia macro naranja uala brubank supervielle credicoop icbc patagonia bancogalicia hipotecario
bancolombia davivienda nequi bancodebogota bogota avvillas colpatria
bancochile bancoestado bancoestado bci santander itau falabella scotiabank
bcp bbva scotiabank banconacion
pichincha guayaquil produbanco bnf brou banesco provincial bac
vietcombank vcb tcb ctg mbb techcombank vietinbank bidv agribank mbbank acb sacombank vpbank tpbank vib hdbank msb shb ocb
bca bri bni mandiri btn cimb cimbniaga danamon permata bsi maybank publicbank rhb ambank hongleong bankislam bsn bankrakyat
bdo bpi metrobank landbank unionbank pnb rcbc chinabank securitybank eastwest gcash
dbs posb ocbc uob hangseng hsbc boc bochk stanchart standardchartered icbc ccb
hdfc icici sbi axis kotak pnb canara bankofbaroda idbi yesbank indusind unionbank idfc federalbank
hbl ubl mcb meezan alfalah allied faysal dbbl brac islamibank sonali janata citybank
leumi hapoalim mizrahi
emiratesnbd adcb enbd mashreq alrajhi rajhi snb samba riyad ahli sabb nbk qnb cib nbe
fnb absa standardbank nedbank capitec investec tymebank
gtbank gtb zenith uba accessbank firstbank fcmb kuda opay stanbic ecobank wema
kcb coopbank ncba stanbic absa dtb mpesa
kbank scb bangkokbank krungthai ktb krungsri ttb gsb
kookmin shinhan woori hana nonghyup kakaobank
mufg smbc mizuho rakuten yucho
attijari attijariwafa bmce cih bmci biat stb
`
