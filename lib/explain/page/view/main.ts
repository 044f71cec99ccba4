/** Starts the page: reads its data, and shows one prompt. */
import { changesView } from './changes-view.js'
import { byId, element } from './dom.js'
import { emptyMemory, showTurn } from './turn-view.js'
import { turnsView } from './turns-view.js'
import type { Turn } from '../../turn.js'

const { turns }: { turns: Turn[] } = JSON.parse(byId('data').textContent ?? '')
const place = element('div')
const choose = (at: number) => {
  const turn = turns[at]
  overview?.show(at)
  if (turn !== undefined) showTurn(place, turn, emptyMemory(), changesView(turns, at))
}
const overview = turns.length > 1 ? turnsView(turns, choose) : null
byId('main').replaceChildren(...(overview === null ? [] : [overview.body]), place)
choose(turns.length - 1)
