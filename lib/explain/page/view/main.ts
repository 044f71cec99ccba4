/** Starts the page: reads its data, and shows one prompt. */
import { changesView } from './changes-view.js'
import { byId, element } from './dom.js'
import { emptyMemory, turnPlace } from './turn-view.js'
import { turnsView } from './turns-view.js'
import type { Turn } from '../../turn.js'

const { turns }: { turns: Turn[] } = JSON.parse(byId('data').textContent ?? '')
const place = element('div')
const show = turnPlace(place)
const showTurn = (at: number) => {
  const turn = turns[at]
  if (turn !== undefined) show(turn, emptyMemory(), changesView(turns, at))
}

const overview =
  turns.length > 1
    ? turnsView(turns, (at) => {
        overview?.show(at)
        showTurn(at)
      })
    : null
byId('main').replaceChildren(...(overview === null ? [] : [overview.body]), place)
overview?.show(turns.length - 1)
showTurn(turns.length - 1)
