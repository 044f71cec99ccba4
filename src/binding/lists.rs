//! What `lib/lists/` calls.

use super::fields::{TokenizerFields, count};
use super::memory::JsNumbers;
use super::strings::JsText;
use crate::arrays::Api;
use crate::arrays::apis::Costs;
use crate::arrays::list::{ListFate, ListFit, Measured, most_counted_bytes};
use crate::arrays::steps::{Extent, Link, LinkedMessage, NoMoves, Speaker, Unfit, moves};
use crate::error::Error;
use napi::bindgen_prelude::Uint32Array;
use napi_derive::napi;
use std::mem;

/// Tokens around the texts of a request to an API.
#[napi(object, object_from_js = false)]
pub struct ListCosts {
    pub system: u32,
    pub tools: u32,
    pub tool: u32,
    pub message: u32,
    pub part: u32,
    pub call: u32,
    pub result: u32,
    pub image: u32,
    /// No more units of a text are needed.
    pub most_units: f64,
}

/// What is counted of a list.
#[napi(catch_unwind)]
pub fn list_costs(
    api: String,
    tokenizer: TokenizerFields,
    max_tokens: f64,
) -> napi::Result<ListCosts> {
    let most_bytes = most_counted_bytes(tokenizer.into(), count(max_tokens));
    let most_units = most_bytes.saturating_add(1) as f64;
    let Costs { request: _, system, tools, tool, message, part, call, result, image } =
        *Costs::of(api_of(&api)?);
    let [system, tools, tool, message, part, call, result, image] =
        [system, tools, tool, message, part, call, result, image].map(|cost| cost as u32);
    Ok(ListCosts { system, tools, tool, message, part, call, result, image, most_units })
}

/// The texts of a part of a request, and the tokens of everything else in it.
#[napi]
pub type MeasuredFields = (Vec<JsText>, f64);

/// What happens to the messages of a list.
#[napi(object, object_from_js = false)]
pub struct TrimmedList {
    /// For each message but instructions: kept (0), no room (1), unpaired (2), before the first turn (3).
    pub fates: Uint32Array,
    /// The tokens of the request.
    pub tokens: i64,
}

/// A list that is trimmed.
#[napi]
pub struct NativeList {
    api: Api,
    fit: ListFit,
    /// Messages that are not planned yet, newest first.
    waiting: Vec<LinkedMessage>,
    is_end: bool,
}

/// What comes next.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct ListPlan {
    /// The indices of messages, in the order in which they are passed; none if older messages are needed
    /// first.
    pub order: Option<Uint32Array>,
    /// The index of a message that must stay, and the number of a call that one of its results lacks.
    pub orphan: Option<Vec<u32>>,
}

#[napi]
impl NativeList {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        api: String,
        tokenizer: TokenizerFields,
        max_tokens: f64,
        system: MeasuredFields,
        tools: MeasuredFields,
    ) -> napi::Result<Self> {
        let api = api_of(&api)?;
        let fixed = (measured(&system.0, system.1), measured(&tools.0, tools.1));
        let fit = ListFit::new(api, tokenizer.into(), count(max_tokens), fixed);
        Ok(NativeList { api, fit, waiting: Vec::new(), is_end: true })
    }

    /// Plans the next older turns.
    ///
    /// @param links For each message, newest first: its index, whose it is, how many calls and results it
    /// has, and the numbers of their ids; that of a call that may wait for its result is negative.
    /// @param isStart Whether there are no older messages.
    #[napi(catch_unwind)]
    pub fn plan(
        &mut self,
        #[napi(ts_arg_type = "Float64Array")] links: JsNumbers,
        is_start: bool,
    ) -> napi::Result<ListPlan> {
        read_links(links.numbers(), &mut self.waiting).ok_or_else(incomplete)?;
        let mut messages = mem::take(&mut self.waiting);
        messages.reverse();
        match moves(self.api, &mut messages, Extent { is_start, is_end: self.is_end }) {
            Ok(moves) => {
                self.is_end = false;
                let order = self.fit.add(moves, is_start).into_iter();
                let order: Vec<u32> = order.map(|index| index as u32).collect();
                Ok(ListPlan { order: Some(order.into()), ..ListPlan::default() })
            }
            Err(NoMoves::NeedsOlder) => {
                messages.reverse();
                self.waiting = messages;
                Ok(ListPlan::default())
            }
            Err(NoMoves::Orphan { index, id }) => {
                Ok(ListPlan { orphan: Some(vec![index as u32, id]), ..ListPlan::default() })
            }
        }
    }

    /// How many tokens are left.
    #[napi(getter, catch_unwind)]
    pub fn room(&self) -> f64 {
        self.fit.room() as f64
    }

    /// Passes the next messages.
    ///
    /// @param sizes For each message: how many of the texts are its, and the tokens of everything else.
    /// @param count The number of messages in the list.
    /// @returns What is kept, once that is known.
    #[napi(catch_unwind)]
    pub fn pass(
        &mut self,
        texts: Vec<JsText>,
        #[napi(ts_arg_type = "Float64Array")] sizes: JsNumbers,
        count: u32,
    ) -> napi::Result<Option<TrimmedList>> {
        let mut texts = texts.as_slice();
        for [own, tokens] in sizes.numbers().as_chunks().0 {
            let (message, rest) = texts.split_at_checked(*own as usize).ok_or_else(incomplete)?;
            texts = rest;
            self.fit.count(&measured(message, *tokens));
        }
        if !self.fit.is_done() {
            return Ok(None);
        }
        let (fates, tokens) = self.fit.finish(count as usize)?;
        let fates: Vec<u32> = fates.into_iter().map(number).collect();
        Ok(Some(TrimmedList { fates: fates.into(), tokens: tokens as i64 }))
    }
}

fn number(fate: ListFate) -> u32 {
    match fate {
        ListFate::Kept => 0,
        ListFate::NoRoom => 1,
        ListFate::Unfit(Unfit::Unpaired) => 2,
        ListFate::Unfit(Unfit::BeforeFirstTurn) => 3,
    }
}

fn api_of(name: &str) -> Result<Api, Error> {
    Api::parse(name).ok_or_else(|| Error::Internal(format!("there is no API {name}")))
}

fn incomplete() -> Error {
    Error::Internal("the list was not passed".to_owned())
}

fn measured(texts: &[JsText], tokens: f64) -> Measured<'_, JsText> {
    Measured { texts, tokens: count(tokens) }
}

fn read_links(mut numbers: &[f64], messages: &mut Vec<LinkedMessage>) -> Option<()> {
    const SPEAKERS: [Speaker; 3] = [Speaker::User, Speaker::Model, Speaker::Tools];
    let link = |number: &f64| Link::new(number.abs() as u32, *number < 0.0);
    while let [index, speaker, calls, results, rest @ ..] = numbers {
        let (calls, rest) = rest.split_at_checked(*calls as usize)?;
        let (results, rest) = rest.split_at_checked(*results as usize)?;
        messages.push(LinkedMessage {
            index: *index as usize,
            speaker: *SPEAKERS.get(*speaker as usize)?,
            calls: calls.iter().map(link).collect(),
            results: results.iter().map(link).collect(),
        });
        numbers = rest;
    }
    Some(())
}
