// The page's own words, in the browser's language: English or German.

const en = {
  title: 'kg_graph explorer', skip: 'Skip to the content', search: 'Search', searchHint: 'Search for a name, another name or an id',
  noMatch: 'Nothing is named like that.', types: 'Types', schema: 'Schema', paths: 'Paths', home: 'Start', signOut: 'Sign out', signIn: 'Sign in',
  theme: 'Light or dark', token: 'Token',
  welcome: 'Explore the graph', welcomeText: 'Find an entity by its name and follow what it is connected to. You see what your token may see, and nothing else.',
  signInText: 'Paste the token that you were given. It stays in the memory of this page: it is not stored, and is gone when you close or reload it.',
  signInAgain: 'The token is not valid, or no longer. Paste a new one; the page goes on where you were.', wrongToken: 'The server does not accept this token.',
  signInThere: 'You sign in on the page of your authorization server, and come back here.', signedOut: 'You are signed out of this page.',
  signInForeign: 'This answer does not belong to a sign-in that this tab began, so it was not used. Sign in once more.',
  signInRefused: 'The authorization server {server} refuses: {text}',
  signInUnread: 'This page cannot read {server}. It does not answer, or it does not allow requests from {page} (CORS).',
  signInUnfit: 'The metadata of the authorization server {server} lack what this page needs: {what}.',
  signInUntold: 'This server does not say which authorization server it trusts.',
  signInAddress: 'The public address of this server is {address}. Open the page there to sign in.',
  signInInsecure: 'The browser allows a sign-in only with https, or at http://127.0.0.1 and http://localhost.',
  saidServer: 'The server says: {text}',
  gone: 'The server does not answer', goneText: 'It may be restarting, or the connection is down. Nothing is lost: the address of this page has all of its state.', retry: 'Try again',
  failed: 'That did not work', hidden: 'Not there', hiddenText: 'There is no entity “{handle}”, or you may not see it. The two cannot be told apart.',
  nearest: 'Near to it', noTools: 'You have no tools', noToolsText: 'The server offers no tools to you, so there is nothing to show.',
  missingTool: 'This needs the tool {tool}, which is not among yours.',
  properties: 'Properties', relations: 'Relationships', outgoing: 'Leads to', incoming: 'Comes from', both: 'Connected to', history: 'History', neighbourhood: 'Neighbourhood',
  pathsFrom: 'Paths from here', list: 'List', more: 'Show more', moreOf: 'Show more ({shown} of {total})', none: 'None', noRelations: 'It is connected to nothing that you can see.',
  untrusted: 'Text from outside', untrustedHint: 'Data, not instructions: written by somebody whom nobody checked.', yes: 'yes', no: 'no', missing: 'no value',
  created: 'created', updated: 'changed', deleted: 'deleted', by: 'by {who}', version: 'version {n}', before: 'before', after: 'after', reason: 'Reason',
  call: 'The call', callText: 'What this page asked. An agent gets the same answer.', callsText: 'What this picture was asked with: {n} calls.', asJson: 'As JSON', asCommand: 'As a command', copy: 'Copy', copied: 'Copied',
  repair: 'Instead', repairButton: 'Do this instead', got: 'Sent', expected: 'Expected', allowed: 'Possible', where: 'Where',
  hops: 'Steps', direction: 'Direction', dirBoth: 'both ways', dirOutgoing: 'along the arrows', dirIncoming: 'against the arrows', legend: 'Legend', nodes: 'Nodes', edges: 'Edges',
  table: 'Table', picture: 'Picture', selection: 'Selection', zoomIn: 'Larger', zoomOut: 'Smaller', fit: 'Show all', asSvg: 'Save as SVG', asPng: 'Save as PNG', grow: 'Show its neighbours', growMore: 'Show more of its neighbours',
  page: 'Open its page', hide: 'Hide', startHere: 'Start here', from: 'From', to: 'To', relation: 'Relationship', type: 'Type', name: 'Name', id: 'Id', depth: 'Distance',
  pictureLabel: 'Picture of {nodes} nodes and {edges} edges. The table tells the same.', pictureKeys: 'Arrow keys move to the nearest node, Enter shows its neighbours or searches a group, O opens its page, + and - zoom, 0 shows all.',
  selectHint: 'Click a node to see what it is and to show its neighbours. Drag to move, scroll to zoom.', selectOnly: 'Click a node to see what it is. Drag to move, scroll to zoom.',
  shown: '{shown} of {total} nodes', shownAll: '{total} nodes', withheld: 'Left out for its size: {what}.', getWithheld: 'Ask for it', mayMore: 'There is more than is shown.',
  withheldItems: '{n} nodes', withheldNode: 'properties of {n} nodes', withheldEdge: 'properties of {n} edges', withheldOther: '{n} ({name})',
  grown: '{n} new nodes', grouped: '{n} neighbours, in groups', groupHint: 'Find members by name, or page by page. A member can be drawn as a node of its own.', draw: 'Draw', drawn: '{name} is drawn', hiddenNow: '{name} is hidden',
  nothingNew: 'Nothing new: all of its neighbours are shown.', reset: 'Start over', search1: 'Type a name', atMost: 'At most', mode: 'Which',
  modeShortest: 'one shortest', modeAll: 'all shortest', modeSimple: 'all without repeats', noPath: 'No path of at most {n} steps that you can see.', pathsFound: '{n} paths', pathFound: '1 path', steps: '{n} steps', step: '1 step', swap: 'Swap',
  chooseTwo: 'Choose two entities to see how they are connected.', schemaText: '{types} types and {relations} relationship types.', count: 'Number',
  query: 'Query', querySql: 'One SELECT', queryText: 'Types and relations are tables. Ctrl and Enter run it. It reads what you may see, and changes nothing.', run: 'Run', tables: 'Tables', queryRows: '{n} rows', queryMore: 'The first {n} rows; there are more.', asCsv: 'Save as CSV', saveJson: 'Save as JSON',
  filters: 'Filters', clearFilters: 'Clear filters', any: 'any', least: 'at least', most: 'at most', contains: 'contains', totalAtLeast: 'at least {n}', rows: '{from} to {to} of {total}', next: 'Next', previous: 'Previous', sortBy: 'Sort by {name}', searchIn: 'Search by name', empty: 'Nothing matches.', searchCut: 'More names match than a search looks at. Type more of the name.', loading: 'One moment',
  edit: 'Edit', editReason: 'Reason, for the history', review: 'Review the change', reviewText: 'Nothing is written yet. This will change:', confirmText: 'The server asks for a confirmation of this change:', confirm: 'Confirm', save: 'Save', cancel: 'Cancel', saved: 'Saved', nothingChanged: 'Nothing was changed.', notJson: '“{name}” is not JSON.',
  views: 'Saved views', saveView: 'Save this view', viewsText: 'A saved view is a name and the address of a screen. Views are kept in this browser, for this server and tenant. They contain no data of the graph but what the address says, and no token.', viewName: 'Save “{what}” as', viewsNone: 'There are none.',
  viewSaved: '“{name}” is saved.', viewBack: 'Back to it', viewDeleted: '“{name}” is deleted.', undo: 'Undo', rename: 'Rename', remove: 'Delete', viewsExport: 'Export', viewsImport: 'Import',
  viewNoName: 'A view needs a name.', viewExists: 'There is already a view “{name}”. Choose another name.', viewGone: '“{name}” is no longer there: it was renamed or deleted in another window.', viewLost: '“{name}” is not there, or no longer.',
  viewsImported: 'Imported: {added} new, {there} already there.', viewsRenamed: '{n} of the new got a number, because the name was taken.', entityPage: 'Page', viewsRefused: '“{file}” was not imported, nothing was changed. {problem}', viewsLarge: 'It has more than {n} bytes.',
  viewsNoJson: 'It is not JSON.', viewsNoList: 'It has no list “views”.', viewsNoMember: 'Its view {n} has no text “{member}”.', viewsNoAddress: 'Its view {n} has an address that leads to no screen: {address}',
  viewsNoStore: 'The browser does not store it: {text}', viewsDamaged: 'What this browser has stored is no list of views. {problem} Nothing was changed.', viewsAnew: 'Save it as a file and begin with none',
  result: 'Result', back: 'Back', larger: 'As large as it gets', smaller: 'Back into the chat', cancelled: 'The call was cancelled.', full: 'No more than {n} nodes are shown here.', tool: 'Tool', inverse: 'backwards', symmetric: 'both ways', entities: '{n} entities', entity: '1 entity',
};
export type Word = keyof typeof en;

const de: Record<Word, string> = {
  title: 'kg_graph-Explorer', skip: 'Zum Inhalt', search: 'Suchen', searchHint: 'Nach einem Namen, anderen Namen oder einer Id suchen',
  noMatch: 'So heißt nichts.', types: 'Typen', schema: 'Schema', paths: 'Wege', home: 'Anfang', signOut: 'Abmelden', signIn: 'Anmelden',
  theme: 'Hell oder dunkel', token: 'Token',
  welcome: 'Den Graphen erkunden', welcomeText: 'Suchen Sie eine Entität über ihren Namen und folgen Sie dem, womit sie verbunden ist. Sie sehen, was Ihr Token sehen darf, und nichts sonst.',
  signInText: 'Fügen Sie das Token ein, das Sie bekommen haben. Es bleibt im Speicher dieser Seite: Es wird nicht abgelegt und ist fort, wenn Sie sie schließen oder neu laden.',
  signInAgain: 'Das Token gilt nicht oder nicht mehr. Fügen Sie ein neues ein; es geht weiter, wo Sie waren.', wrongToken: 'Der Server nimmt dieses Token nicht an.',
  signInThere: 'Sie melden sich auf der Seite Ihres Autorisierungsservers an und kommen hierher zurück.', signedOut: 'Sie sind von dieser Seite abgemeldet.',
  signInForeign: 'Diese Antwort gehört nicht zu einer Anmeldung, die in diesem Tab begann, und wurde nicht benutzt. Melden Sie sich noch einmal an.',
  signInRefused: 'Der Autorisierungsserver {server} lehnt ab: {text}',
  signInUnread: 'Diese Seite kann {server} nicht lesen. Er antwortet nicht oder erlaubt keine Anfragen von {page} (CORS).',
  signInUnfit: 'In den Metadaten des Autorisierungsservers {server} fehlt, was diese Seite braucht: {what}.',
  signInUntold: 'Dieser Server sagt nicht, welchem Autorisierungsserver er vertraut.',
  signInAddress: 'Die öffentliche Adresse dieses Servers ist {address}. Öffnen Sie die Seite dort, um sich anzumelden.',
  signInInsecure: 'Der Browser erlaubt eine Anmeldung nur mit https oder unter http://127.0.0.1 und http://localhost.',
  saidServer: 'Der Server sagt: {text}',
  gone: 'Der Server antwortet nicht', goneText: 'Vielleicht startet er neu, oder die Verbindung ist unterbrochen. Nichts ist verloren: Der Zustand steht ganz in der Adresse der Seite.', retry: 'Noch einmal versuchen',
  failed: 'Das ging nicht', hidden: 'Nicht da', hiddenText: 'Es gibt keine Entität „{handle}“, oder Sie dürfen sie nicht sehen. Beides lässt sich nicht unterscheiden.',
  nearest: 'Ähnlich', noTools: 'Sie haben keine Werkzeuge', noToolsText: 'Der Server bietet Ihnen keine Werkzeuge an, also gibt es nichts zu zeigen.',
  missingTool: 'Dazu braucht es das Werkzeug {tool}; es ist nicht unter Ihren.',
  properties: 'Eigenschaften', relations: 'Beziehungen', outgoing: 'Führt zu', incoming: 'Kommt von', both: 'Verbunden mit', history: 'Verlauf', neighbourhood: 'Umgebung',
  pathsFrom: 'Wege von hier', list: 'Liste', more: 'Mehr zeigen', moreOf: 'Mehr zeigen ({shown} von {total})', none: 'Keine', noRelations: 'Sie ist mit nichts verbunden, was Sie sehen können.',
  untrusted: 'Text von außen', untrustedHint: 'Daten, keine Anweisungen: von jemandem geschrieben, den niemand geprüft hat.', yes: 'ja', no: 'nein', missing: 'kein Wert',
  created: 'angelegt', updated: 'geändert', deleted: 'gelöscht', by: 'von {who}', version: 'Version {n}', before: 'vorher', after: 'nachher', reason: 'Grund',
  call: 'Der Aufruf', callText: 'Was diese Seite gefragt hat. Ein Agent bekommt dieselbe Antwort.', callsText: 'Womit nach diesem Bild gefragt wurde: {n} Aufrufe.', asJson: 'Als JSON', asCommand: 'Als Befehl', copy: 'Kopieren', copied: 'Kopiert',
  repair: 'Stattdessen', repairButton: 'Dies stattdessen', got: 'Gesendet', expected: 'Erwartet', allowed: 'Möglich', where: 'Wo',
  hops: 'Schritte', direction: 'Richtung', dirBoth: 'in beide Richtungen', dirOutgoing: 'mit den Pfeilen', dirIncoming: 'gegen die Pfeile', legend: 'Legende', nodes: 'Knoten', edges: 'Kanten',
  table: 'Tabelle', picture: 'Bild', selection: 'Auswahl', zoomIn: 'Größer', zoomOut: 'Kleiner', fit: 'Alles zeigen', asSvg: 'Als SVG speichern', asPng: 'Als PNG speichern', grow: 'Nachbarn zeigen', growMore: 'Mehr Nachbarn zeigen',
  page: 'Seite öffnen', hide: 'Ausblenden', startHere: 'Hier anfangen', from: 'Von', to: 'Nach', relation: 'Beziehung', type: 'Typ', name: 'Name', id: 'Id', depth: 'Entfernung',
  pictureLabel: 'Bild von {nodes} Knoten und {edges} Kanten. Die Tabelle sagt dasselbe.', pictureKeys: 'Pfeiltasten gehen zum nächsten Knoten, Enter zeigt seine Nachbarn oder sucht in einer Gruppe, O öffnet seine Seite, + und - ändern die Größe, 0 zeigt alles.',
  selectHint: 'Klicken Sie auf einen Knoten, um zu sehen, was er ist, und um seine Nachbarn zu zeigen. Ziehen verschiebt, Scrollen ändert die Größe.', selectOnly: 'Klicken Sie auf einen Knoten, um zu sehen, was er ist. Ziehen verschiebt, Scrollen ändert die Größe.',
  shown: '{shown} von {total} Knoten', shownAll: '{total} Knoten', withheld: 'Der Größe wegen weggelassen: {what}.', getWithheld: 'Danach fragen', mayMore: 'Es gibt mehr, als gezeigt ist.',
  withheldItems: '{n} Knoten', withheldNode: 'Eigenschaften von {n} Knoten', withheldEdge: 'Eigenschaften von {n} Kanten', withheldOther: '{n} ({name})',
  grown: '{n} neue Knoten', grouped: '{n} Nachbarn, in Gruppen', groupHint: 'Mitglieder nach Namen oder Seite für Seite finden. Ein Mitglied lässt sich als eigener Knoten zeichnen.', draw: 'Zeichnen', drawn: '{name} ist gezeichnet', hiddenNow: '{name} ist ausgeblendet',
  nothingNew: 'Nichts Neues: Alle Nachbarn sind schon da.', reset: 'Von vorn', search1: 'Einen Namen eingeben', atMost: 'Höchstens', mode: 'Welche',
  modeShortest: 'ein kürzester', modeAll: 'alle kürzesten', modeSimple: 'alle ohne Wiederholung', noPath: 'Kein Weg von höchstens {n} Schritten, den Sie sehen können.', pathsFound: '{n} Wege', pathFound: '1 Weg', steps: '{n} Schritte', step: '1 Schritt', swap: 'Tauschen',
  chooseTwo: 'Wählen Sie zwei Entitäten, um zu sehen, wie sie verbunden sind.', schemaText: '{types} Typen und {relations} Beziehungstypen.', count: 'Anzahl',
  query: 'Abfrage', querySql: 'Ein SELECT', queryText: 'Typen und Beziehungen sind Tabellen. Strg und Eingabe führen es aus. Es liest, was Sie sehen dürfen, und ändert nichts.', run: 'Ausführen', tables: 'Tabellen', queryRows: '{n} Zeilen', queryMore: 'Die ersten {n} Zeilen; es gibt mehr.', asCsv: 'Als CSV sichern', saveJson: 'Als JSON sichern',
  filters: 'Filter', clearFilters: 'Filter leeren', any: 'beliebig', least: 'mindestens', most: 'höchstens', contains: 'enthält', totalAtLeast: 'mindestens {n}', rows: '{from} bis {to} von {total}', next: 'Weiter', previous: 'Zurück', sortBy: 'Nach {name} sortieren', searchIn: 'Nach dem Namen suchen', empty: 'Nichts passt.', searchCut: 'Mehr Namen passen, als eine Suche ansieht. Geben Sie mehr vom Namen ein.', loading: 'Einen Moment',
  edit: 'Bearbeiten', editReason: 'Grund, für den Verlauf', review: 'Änderung prüfen', reviewText: 'Noch ist nichts geschrieben. Dies ändert sich:', confirmText: 'Der Server verlangt eine Bestätigung dieser Änderung:', confirm: 'Bestätigen', save: 'Speichern', cancel: 'Abbrechen', saved: 'Gespeichert', nothingChanged: 'Es hat sich nichts geändert.', notJson: '„{name}“ ist kein JSON.',
  views: 'Ansichten', saveView: 'Ansicht merken', viewsText: 'Eine gemerkte Ansicht ist ein Name und die Adresse eines Bildschirms. Ansichten bleiben in diesem Browser, für diesen Server und Mandanten. Sie enthalten von den Daten des Graphen nur, was in der Adresse steht, und kein Token.', viewName: '„{what}“ merken als', viewsNone: 'Es gibt keine.',
  viewSaved: '„{name}“ ist gemerkt.', viewBack: 'Zurück dorthin', viewDeleted: '„{name}“ ist gelöscht.', undo: 'Rückgängig', rename: 'Umbenennen', remove: 'Löschen', viewsExport: 'Exportieren', viewsImport: 'Importieren',
  viewNoName: 'Eine Ansicht braucht einen Namen.', viewExists: 'Eine Ansicht „{name}“ gibt es schon. Wählen Sie einen anderen Namen.', viewGone: '„{name}“ ist nicht mehr da: in einem anderen Fenster umbenannt oder gelöscht.', viewLost: '„{name}“ ist nicht oder nicht mehr da.',
  viewsImported: 'Importiert: {added} neue, {there} schon da.', viewsRenamed: '{n} der neuen bekamen eine Nummer, weil der Name vergeben war.', entityPage: 'Seite', viewsRefused: '„{file}“ wurde nicht importiert, nichts hat sich geändert. {problem}', viewsLarge: 'Sie hat mehr als {n} Bytes.',
  viewsNoJson: 'Das ist kein JSON.', viewsNoList: 'Darin fehlt die Liste „views“.', viewsNoMember: 'Der Ansicht {n} darin fehlt der Text „{member}“.', viewsNoAddress: 'Die Adresse der Ansicht {n} darin führt zu keinem Bildschirm: {address}',
  viewsNoStore: 'Der Browser speichert es nicht: {text}', viewsDamaged: 'Was dieser Browser gespeichert hat, ist keine Liste von Ansichten. {problem} Nichts hat sich geändert.', viewsAnew: 'Als Datei sichern und ohne Ansichten beginnen',
  result: 'Ergebnis', back: 'Zurück', larger: 'So groß wie möglich', smaller: 'Zurück in den Chat', cancelled: 'Der Aufruf wurde abgebrochen.', full: 'Mehr als {n} Knoten werden hier nicht gezeigt.', tool: 'Werkzeug', inverse: 'rückwärts', symmetric: 'in beide Richtungen', entities: '{n} Entitäten', entity: '1 Entität',
};

export let language: 'de' | 'en';
let words: Record<Word, string>;
let numbers: Intl.NumberFormat;
let times: Intl.DateTimeFormat;

/** A host may know better than the browser; what is no language is not heeded. */
export function speak(locale: string): void {
  let known = 'en';
  try { known = Intl.getCanonicalLocales(locale)[0] ?? 'en'; } catch { /* as it is */ }
  language = known.toLowerCase().startsWith('de') ? 'de' : 'en';
  words = language === 'de' ? de : en;
  numbers = new Intl.NumberFormat(language);
  times = new Intl.DateTimeFormat(known, { dateStyle: 'medium', timeStyle: 'medium' });
}
speak(navigator.language || 'en');

export function t(word: Word, values: Record<string, string | number> = {}): string {
  return words[word].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? numbers.format(value) : String(value ?? '');
  });
}

// Characters that order letters anew, or end what keeps a text apart from others.
const ORDERS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text as it is shown: what would turn it round is seen instead. */
export const tame = (text: string): string => text.replace(ORDERS, '\ufffd');

/** A text inside of another: its own direction is that of its first letter. */
export const isolated = (text: string): string => `\u2068${tame(text)}\u2069`;

export const number = (value: number): string => numbers.format(value);
export function time(value: string): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : times.format(date);
}
