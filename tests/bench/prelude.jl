# Readings of many devices.
import Flux
using DiffPrivacyInference

rescale(x::Real) = x / 100

function init_model(inputs::Integer, hidden::Integer, outputs::Integer) :: BlackBox()
    DMModel(Flux.Chain(Flux.Dense(inputs => hidden, Flux.relu), Flux.Dense(hidden => outputs)))
end
