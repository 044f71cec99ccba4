'use strict'
/** Starts the page: reads its data, and shows one prompt. */
const { changesView } = require('./changes-view.js')
const { byId, element } = require('./dom.js')
const { emptyMemory, turnPlace } = require('./turn-view.js')
const { turnsView } = require('./turns-view.js')

/** @type {{ turns: import('../../turn.js').Turn[] }} */
const { turns } = JSON.parse(byId('data').textContent ?? '')
const place = element('div')
const show = turnPlace(place)
const showTurn = (/** @type {number} */ at) => {
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
