# Device N: what its readings are turned into, and what of them is released.

"""Half the sum of two readings, on the scale of the report."""
function scaled_N(x::Real, y::Real)
    a = 2 * x + N
    b = a - y / 4
    # Both count, whatever the device says.
    (a + b) / 2
end

function shifted_N(x::Real, offset::Static())
    rescale(scaled_M(x, x)) + offset
end

function summed_N(v::MetricVector(Real, L1))
    total = 0.0
    for i in 1:length(v)
        total = total + 2 * v[i]  # each reading counts twice
    end
    total
end

function chosen_N(x::Real, mode::Static(Integer))
    if mode == 1
        y = 2 * x
    else
        y = rescale(x)
    end
    y + N
end

function repeated_N(x::Real)
    y = 0.0
    for i in 1:4
        y = y + x / 2
    end
    y
end

function features_N(v::Vector{<:Data}) :: BlackBox()
    scaled = map(x -> x / maximum(v), v)
    [sum(scaled), length(filter(x -> x > 0.5, scaled)), N]
end

function gradient_N(model::DMModel, example::Vector{<:Data}, label::Vector{<:Data}) :: BlackBox()
    params = Flux.params(model.model)
    gradients = Flux.gradient(params) do
        Flux.crossentropy(model.model(example), label; agg = sum)
    end
    DMGrads(gradients)
end

function released_N(x::Real, y::Real, eps::Static(), del::Static()) :: Priv()
    noisy = gaussian_mechanism(100, eps, del, scaled_N(x, y))
    shown = 23 * noisy + 42
    if shown > 100
        shown = 100
    end
    shown
end

function rounds_N(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(2, eps, repeated_N(x))
    end
    y / 3
end

function train_N(data::Matrix{<:Data}, labels::Matrix{<:Data}, eps::Static(), del::Static(), eta::Static(), k::Static(Integer), b::Static(Integer)) :: Priv()
    model = unbox(init_model(784, 40, N), DMModel, 31810)
    for step in 1:k
        (examples, targets) = sample(b, data, labels)
        total = zero_gradient(model)
        for i in 1:b
            gradient = unbox(gradient_N(model, examples[i, :], targets[i, :]), DMGrads, 31810)
            clip!(L2, gradient)
            undisc_container!(gradient)
            total = sum_gradients(gradient, total)
        end
        scale_gradient!(1 / b, total)
        gaussian_mechanism!(2, eps, del, total)
        scale_gradient!(eta, total)
        subtract_gradient!(model, total)
    end
    model
end

function product_N(x::Real, y::Real)
    scaled_N(x, y) * y
end
