//! `systemInstruction` and `contents` of Gemini's `generateContent`.

use super::{Contents, raw};
use crate::arrays::apis::Joining;
use crate::arrays::blocks::Block;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Turn<'b>>,
    contents: Vec<Turn<'b>>,
}

#[derive(Serialize)]
struct Turn<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Part<'b>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Part<'b> {
    Text(&'b str),
    FunctionCall { name: &'b str, args: &'b RawValue },
    FunctionResponse { name: &'b str, response: Response<'b> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Response<'b> {
    Output(&'b str),
    Error(&'b str),
}

pub fn write(request: &Contents) -> serde_json::Result<String> {
    let contents: serde_json::Result<Vec<_>> =
        request.messages(Joining::Roles).map(|(_, blocks)| turn(blocks)).collect();
    let system_instruction =
        request.system.map(|text| Turn { role: None, parts: vec![Part::Text(text)] });
    serde_json::to_string(&Request { system_instruction, contents: contents? })
}

fn turn<'b>(blocks: &'b [Block]) -> serde_json::Result<Turn<'b>> {
    let role = match blocks.first() {
        Some(Block::Assistant(_) | Block::Call { .. }) => "model",
        _ => "user",
    };
    let parts: serde_json::Result<Vec<_>> = blocks.iter().map(part).collect();
    Ok(Turn { role: Some(role), parts: parts? })
}

fn part<'b>(block: &'b Block) -> serde_json::Result<Part<'b>> {
    Ok(match block {
        Block::User(text) | Block::Assistant(text) => Part::Text(text),
        Block::Call { name, input, .. } => Part::FunctionCall { name, args: raw(input)? },
        Block::Result { name, output, is_error, .. } => {
            let response =
                if *is_error { Response::Error(output) } else { Response::Output(output) };
            Part::FunctionResponse { name, response }
        }
    })
}
